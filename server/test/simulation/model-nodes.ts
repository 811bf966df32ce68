/** An in-memory model of what `modules/ledger/nodes.ts` and `recovery.ts` do. */

import type { NodeEpoch } from "#modules/ledger/nodes.ts";
import { addFailure, giveBack, type ModelTables } from "./model-tables.ts";

/** As in `nodes.ts`: how long a node is silent before others take it for dead. */
export const nodeDeadMs = 10_000;

/**
 * As in `nodes.ts`: after this long without a heartbeat, a node begins anew to watch how long the
 * others are silent.
 */
const gapMaxMs = 4_000;

export function beat({ nodes, now }: ModelTables, { nodeId, epoch }: NodeEpoch): boolean {
  const node = nodes.get(nodeId);
  if (node?.epoch !== epoch) return false;
  if (node.heartbeatAt < now() - gapMaxMs) node.startedAt = now();
  node.heartbeatAt = now();
  return true;
}

export function joinNodes(tables: ModelTables, { nodeId, epoch: after }: NodeEpoch): number {
  const now = tables.now();
  const known = tables.nodes.get(nodeId);
  const epoch = known === undefined ? after + 1 : Math.max(known.epoch, after + 1) + 1;
  const endedAt = known?.endedAt ?? 0;
  tables.nodes.set(nodeId, { epoch, startedAt: now, heartbeatAt: now, joinedAt: now, endedAt });
  for (const row of tables.reservations.values()) if (row.nodeId === nodeId) row.epoch = epoch;
  return epoch;
}

export function isEpoch({ nodes }: ModelTables, { nodeId, epoch }: NodeEpoch): boolean {
  return nodes.get(nodeId)?.epoch === epoch;
}

/**
 * Ends the epochs of nodes that were silent while `watchingId` was not.
 * @returns these nodes.
 */
export function endSilent(tables: ModelTables, watchingId: string): string[] {
  const due = tables.now() - nodeDeadMs;
  const watching = tables.nodes.get(watchingId);
  if (watching === undefined || watching.startedAt > due) return [];
  if (watching.heartbeatAt < tables.now() - gapMaxMs) return [];
  const silent = [...tables.nodes].flatMap(([id, node]) =>
    id !== watchingId && node.heartbeatAt < due ? [id] : [],
  );
  for (const id of silent) endEpoch(tables, id);
  return silent;
}

export function endEpoch({ nodes, now }: ModelTables, nodeId: string): void {
  const node = nodes.get(nodeId);
  if (node === undefined) return;
  node.epoch += 1;
  node.endedAt = now();
}

/** Ids of nodes with reservations or records of an epoch that has ended. */
export function lostNodes(tables: ModelTables): string[] {
  const rows = [...tables.reservations.values(), ...[...tables.journal.values()].flat()];
  const lost = rows.filter((row) => !isEpoch(tables, row));
  return [...new Set(lost.map(({ nodeId }) => nodeId))];
}

/**
 * Releases the reservations that this node made in ended epochs.
 * @returns the released calls.
 */
export function releaseInterrupted(tables: ModelTables, nodeId: string): string[] {
  // Records that are not in the books come first.
  if (tables.journal.get(nodeId)?.some((record) => !isEpoch(tables, record)) === true) return [];
  const ids = [...tables.reservations].flatMap(([id, row]) =>
    row.nodeId === nodeId && !isEpoch(tables, row) ? [id] : [],
  );
  for (const id of ids) {
    giveBack(tables, id);
    addFailure(tables, id);
    tables.interrupted.add(id);
  }
  return ids;
}

/** Removes silent nodes without reservations and records. */
export function removeNodes(
  { nodes, reservations, journal, heads }: ModelTables,
  nodeIds: readonly string[],
): void {
  const rows = [...reservations.values(), ...[...journal.values()].flat()];
  const holding = new Set(rows.map(({ nodeId }) => nodeId));
  for (const id of nodeIds) {
    if (holding.has(id)) continue;
    nodes.delete(id);
    journal.delete(id);
    heads.delete(id);
  }
}
