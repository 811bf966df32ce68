import type { Nginx } from "./nginx.ts";
import type { Product } from "./product.ts";
import type { ContenderName } from "./result.ts";

/** Somewhere a call can be sent. */
export type Contender = {
  readonly name: ContenderName;
  readonly port: number;
  /** Where events are passed on as they come. */
  readonly streamPort: number;
  /** What a call is authorised with. */
  readonly key: string;
  /** The processes whose CPU is counted; none for the upstream itself. */
  readonly pids: readonly number[];
  /** Notes that so many calls were answered. */
  count(calls: number): void;
};

/** Any key will do for the demo upstream. */
const upstreamKey = "sk-bench";

export function directContender(port: number): Contender {
  return { name: "direct", port, streamPort: port, key: upstreamKey, pids: [], count() {} };
}

export function nginxContender({ port, streamPort, pid }: Nginx): Contender {
  return { name: "nginx", port, streamPort, key: upstreamKey, pids: [pid], count() {} };
}

export function productContender({ port, spender, gateway, count }: Product): Contender {
  return { name: "tollgate", port, streamPort: port, key: spender.key, pids: [gateway.pid], count };
}
