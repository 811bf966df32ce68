/** What must hold in every state of the search, and where nothing can happen any more. */

import type { Node } from "./node.ts";
import type { Tables } from "./store.ts";

export type Call = {
  state: "ended" | "new" | "open" | "refused" | "told" | "waiting";
  /** What its client was told that it costs. */
  charged: number;
  /** Whether somebody who has seen its end was told that the books have it. */
  isRead: boolean;
};

type Seen = {
  readonly tables: Tables;
  readonly calls: readonly Call[];
  readonly nodes: readonly Node[];
  /** How many calls a node may have told that are not in the books. */
  readonly unapplied: number;
};

/** What happened to a call, by the tables. */
type Fate = {
  readonly entries: number;
  /** How often it was charged, in the books or in the journal, and how much in sum. */
  readonly times: number;
  readonly paid: number;
  readonly isInterrupted: boolean;
};

export const idOf = (index: number): string => `call-${index}`;

/** Finds what must not be; null: nothing. */
export function findFlaw(seen: Seen): string | null {
  return findSumFlaw(seen.tables) ?? findCallFlaw(seen) ?? findHoldFlaw(seen) ?? findRoomFlaw(seen);
}

function findSumFlaw({ account, entries, reservations, refused }: Tables): string | null {
  const { balance, held, used } = account;
  const sum = entries.reduce((total, { amount }) => total + amount, 0);
  const spent = entries.reduce((total, { amount }) => total + Math.max(0, -amount), 0);
  const ofCalls = reservations.reduce((total, { amount }) => total + amount, 0);
  if (balance !== sum) return `the balance is ${balance}, the entries sum to ${sum}`;
  if (used !== spent) return `${used} was used, the calls sum to ${spent}`;
  if (held !== ofCalls) return `${held} is held, the calls hold ${ofCalls}`;
  if (held > balance) return `${held} of ${balance} is held`;
  if (new Set(entries.map(({ cause }) => cause)).size < entries.length) return "a cause twice";
  if (reservations.some(({ amount }) => amount < 1)) return "a call holds less than it needs";
  return refused > 0 ? "the books refuse what the journal says" : null;
}

function findCallFlaw({ tables, calls }: Seen): string | null {
  for (const [index, { state, charged, isRead }] of calls.entries()) {
    const id = idOf(index);
    const { entries, times, paid, isInterrupted } = fateOf(tables, id);
    if (times > 1) return `${id} is charged twice`;
    if (times > 0 && isInterrupted) return `${id} was told free`;
    if (state === "told" && charged !== paid) return `${id} was told ${charged}, it paid ${paid}`;
    if (isRead && charged > 0 && entries === 0) return `${id} is not in the books that were read`;
  }
  return null;
}

/** A node that was taken for dead and goes on takes along the calls that run. */
function findHoldFlaw({ tables, nodes }: Seen): string | null {
  const { epochs, reservations } = tables;
  for (const { id, isAlive, membership } of nodes) {
    const epoch = epochs.get(id);
    if (!isAlive || epoch === undefined || membership?.epoch() !== epoch) continue;
    const left = reservations.find((row) => row.nodeId === id && row.epoch !== epoch);
    if (left !== undefined) return `${left.id} was left behind in epoch ${left.epoch}`;
  }
  return null;
}

/** Only the last record of a node may go beyond what its books may miss. */
function findRoomFlaw({ tables, nodes, unapplied }: Seen): string | null {
  for (const { id } of nodes) {
    const records = tables.records.filter(({ nodeId }) => nodeId === id).slice(0, -1);
    const missing = records.reduce((sum, { told }) => sum + told.length, 0);
    if (missing >= unapplied) return `${id} tells more while its books miss ${missing} calls`;
  }
  return null;
}

function fateOf({ entries, records, interrupted }: Tables, id: string): Fate {
  const rows = entries.filter(({ cause }) => cause === `settle:${id}`);
  const promised = records.flatMap(({ told }) => told.filter((one) => one.id === id));
  const amounts = [...rows.map(({ amount }) => -amount), ...promised.map(({ amount }) => amount)];
  return {
    entries: rows.length,
    times: amounts.length,
    paid: amounts.reduce((sum, amount) => sum + amount, 0),
    isInterrupted: interrupted.includes(id),
  };
}

/** Finds what must not be where nothing can happen any more; null: nothing. */
export function findRest({ tables, calls }: Pick<Seen, "calls" | "tables">): string | null {
  if (tables.records.length > 0) return "a record never gets into the books";
  if (tables.reservations.length > 0) return "a hold is never given back";
  for (const [index, { state }] of calls.entries()) {
    const { entries, isInterrupted } = fateOf(tables, idOf(index));
    const isKnown = state !== "ended" || isInterrupted;
    if (!isKnown && entries === 0) return `${idOf(index)} neither ends nor is interrupted`;
  }
  return null;
}

/** Ids of nodes with reservations or records of an epoch that has ended. */
export function lostIn({ reservations, records, epochs }: Tables): string[] {
  const lost = [...reservations, ...records].filter(
    ({ nodeId, epoch }) => epochs.get(nodeId) !== epoch,
  );
  return [...new Set(lost.map(({ nodeId }) => nodeId))];
}
