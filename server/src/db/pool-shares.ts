/** How the connections of one node to PostgreSQL are divided among its threads. */

/** The usual number of connections of one node, and the smallest with which it works. */
export const poolUsual = 12;
export const poolMin = 8;
export const poolMax = 200;

/** What the threads always have. */
const writing = { writer: 2, aside: 3, apart: 1 } as const;

type PoolShares = typeof writing & {
  /** To hear what other nodes tell; 0: there is none for it, and the node only polls. */
  readonly listener: number;
  /** Of each of the two threads that read. */
  readonly reader: number;
};

/**
 * Divides the connections of a node. Writers have their own, so that readers of the console never
 * take those of calls.
 */
export function poolShares(total = poolUsual): PoolShares {
  const left = total - writing.writer - writing.aside - writing.apart;
  const listener = left > 2 ? 1 : 0;
  return { ...writing, listener, reader: Math.max(1, Math.floor((left - listener) / 2)) };
}

/** Whether a server says that it has no connection left. */
export function isOutOfConnections(text: string): boolean {
  return /too many clients|too many connections|remaining connection slots/i.test(text);
}
