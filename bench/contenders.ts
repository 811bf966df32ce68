import type { Nginx } from "./nginx.ts";
import type { Product } from "./product.ts";

/** Somewhere a call can be sent. */
export type Contender<Name extends string = string> = {
  readonly name: Name;
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

export function directContender(port: number): Contender<"direct"> {
  return { name: "direct", port, streamPort: port, key: upstreamKey, pids: [], count() {} };
}

export function nginxContender({ port, streamPort, pid }: Nginx): Contender<"nginx"> {
  return { name: "nginx", port, streamPort, key: upstreamKey, pids: [pid], count() {} };
}

export function productContender(product: Product): Contender<"tollgate"> {
  return namedProduct("tollgate", product);
}

/** @param name tells two products apart. */
export function namedProduct<Name extends string>(
  name: Name,
  { port, spender, gateway, count }: Product,
): Contender<Name> {
  return { name, port, streamPort: port, key: spender.key, pids: [gateway.pid], count };
}
