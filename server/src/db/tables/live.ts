/**
 * What nodes tell each other of the calls that run on them, and of those to stop. Written by
 * `modules/live` only, and on PostgreSQL alone. All times are Unix milliseconds by the database's
 * clock.
 */

/** The calls of a node, as it has told them last. It tells them only while somebody watches. */
export type LiveNodeTable = {
  node_id: string;
  /** By which people know it. */
  name: string;
  at: number;
  /** Until when somebody watches at this node. */
  watches_until: number;
  /** How many calls run; more than `calls` has if there are many. */
  total: number;
  is_draining: number;
  /** JSON text. */
  calls: string;
};

/** An order to every node to stop calls. */
export type LiveStopTable = {
  id: number;
  created_at: number;
  /** JSON text: which calls, and by whom. */
  body: string;
};

/** How many calls a node has stopped by an order. */
export type LiveStopAnswerTable = { stop_id: number; node_id: string; calls: number };
