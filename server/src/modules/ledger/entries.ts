import type { Db } from "#db/database.ts";
import { insertRows, insertText, intoText, preparedOf } from "#db/prepared.ts";
import type { EntryKind, EntryTable } from "#db/tables/ledger.ts";
import type { Accounts } from "./accounts.ts";
import { entryHash, type HashedEntry } from "./chain.ts";

/** Whether entries of this kind come from calls, so that they count as quota the user has used. */
function isOfCall(kind: EntryKind): boolean {
  return kind === "settle" || kind === "reversal" || kind === "refund" || kind === "rerate";
}

/** Returns how much an entry adds to what the user was charged for calls. */
export function chargedBy(entry: {
  readonly kind: EntryKind;
  readonly amount: number;
  readonly debt?: number | undefined;
}): number {
  return isOfCall(entry.kind) ? (entry.debt ?? 0) - entry.amount : 0;
}

/**
 * An entry before it is appended: its number in the user's chain and the balances after it are not
 * known yet.
 */
export type ChainedEntry = Omit<
  HashedEntry,
  "balance_after" | "budget_at" | "debt" | "seq" | "used_after"
> & {
  /** As in the table; absent: 0. */
  readonly budget_at?: number | undefined;
  readonly debt?: number | undefined;
};

/**
 * Appends entries to their users' chains in the given order, and updates the heads of the chains in
 * `accounts`. The balances in `accounts` must already include the entries.
 */
export async function insertEntries(
  tx: Db,
  accounts: Accounts,
  entries: readonly ChainedEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const heads = new Map<number, { balance: number; used: number }>();
  const rows = entries.map((entry) => {
    const user = accounts.users.get(entry.user_id);
    if (user === undefined) throw new Error(`user ${entry.user_id} has no balance`);
    let head = heads.get(entry.user_id);
    if (head === undefined) {
      head = { balance: user.before.balance, used: user.before.used };
      heads.set(entry.user_id, head);
    }
    head.balance += entry.amount;
    head.used += chargedBy(entry);
    const row = rowOf(entry, user.now.entry_count + 1, head);
    row.hash = entryHash(user.now.head_hash, row);
    user.now.entry_count += 1;
    user.now.head_hash = row.hash;
    return row;
  });
  for (const [userId, head] of heads) {
    const now = accounts.users.get(userId)?.now;
    if (now?.balance !== head.balance || now.used !== head.used) {
      throw new Error(`the entries of user ${userId} do not add up to its balance`);
    }
  }
  const prepared = preparedOf(tx);
  if (prepared === undefined) await insertRows(tx, intoEntries, rows.map(valuesOf));
  else for (const row of rows) prepared.run(entryText, valuesOf(row));
}

/** Makes the row of an entry, without its hash. It is spelled out, because this runs for every call. */
function rowOf(
  entry: ChainedEntry,
  seq: number,
  after: { readonly balance: number; readonly used: number },
): EntryTable {
  return {
    // A debt is paid by what happens to be there, so nothing but its place in the chain names it.
    cause: entry.kind === "debt_paid" ? debtCause(entry.user_id, seq) : entry.cause,
    kind: entry.kind,
    user_id: entry.user_id,
    seq,
    token_id: entry.token_id,
    channel_id: entry.channel_id,
    amount: entry.amount,
    balance_after: after.balance,
    used_after: after.used,
    log_id: entry.log_id,
    detail: entry.detail,
    created_at: entry.created_at,
    budget_at: entry.budget_at ?? 0,
    debt: entry.debt ?? 0,
    hash: "",
  };
}

function debtCause(userId: number, seq: number): string {
  return `debt_paid:${userId}:${seq}`;
}

const entryColumns = [
  "cause",
  "kind",
  "user_id",
  "seq",
  "token_id",
  "channel_id",
  "amount",
  "balance_after",
  "used_after",
  "log_id",
  "detail",
  "created_at",
  "budget_at",
  "debt",
  "hash",
] as const satisfies readonly (keyof EntryTable)[];

const entryText = insertText("entries", entryColumns);
const intoEntries = intoText("entries", entryColumns);

/**
 * Returns the values of an entry in the order of `entryColumns`. They are spelled out, because this
 * runs for every call.
 */
function valuesOf(row: EntryTable): (number | string)[] {
  return [
    row.cause,
    row.kind,
    row.user_id,
    row.seq,
    row.token_id,
    row.channel_id,
    row.amount,
    row.balance_after,
    row.used_after,
    row.log_id,
    row.detail,
    row.created_at,
    row.budget_at,
    row.debt,
    row.hash,
  ];
}
