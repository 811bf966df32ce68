import type { Nginx } from "./nginx.ts";
import type { Product } from "./product.ts";

/** A server that is measured: the upstream itself, nginx or the product. */
export type Contender<Name extends string = string> = {
  readonly name: Name;
  readonly port: number;
  /**
   * The port for streams, which passes events on as they arrive. nginx has another one for whole
   * answers.
   */
  readonly streamPort: number;
  /** The API key of the calls. */
  readonly key: string;
  /** The processes whose CPU time counts; none for the upstream itself. */
  readonly pids: readonly number[];
  /** Adds answered calls to the number of calls that the ledger must show at the end. */
  count(calls: number): void;
};

/** The demo upstream accepts any key. */
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

/**
 * Makes the contender (what is measured) that stands for the product.
 * @param name distinguishes two products that run at the same time.
 */
export function namedProduct<Name extends string>(
  name: Name,
  { port, spender, gateway, count }: Product,
): Contender<Name> {
  return { name, port, streamPort: port, key: spender.key, pids: [gateway.pid], count };
}
