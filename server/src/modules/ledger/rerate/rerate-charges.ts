/**
 * Charges past calls again: the difference to what each was charged is an entry, and counts in the
 * hour of the charge. What tokens may still spend and what their budgets have left stays as it is.
 */

import type { Selectable } from "kysely";
import { unixSeconds } from "#base/clock.ts";
import type { Db } from "#db/database.ts";
import type { LogTable } from "#db/tables/logs.ts";
import { noteWritten } from "#db/written.ts";
import { noteRerated } from "#modules/logs/logs.ts";
import {
  type Accounts,
  loadAccounts,
  type Posted,
  saveAccounts,
} from "#modules/ledger/accounts.ts";
import { rerateCauseOf } from "#modules/ledger/applied.ts";
import { divide } from "#modules/ledger/debts/debts.ts";
import { type ChainedEntry, insertEntries } from "#modules/ledger/entries.ts";
import { addToCharges } from "#modules/ledger/sums.ts";

/** A call that is charged again: what it was charged until now, and what it is charged from now on. */
export type ReratedCharge = {
  readonly logId: number;
  readonly requestId: string;
  readonly userId: number;
  readonly tokenId: number;
  readonly channelId: number;
  readonly modelName: string;
  readonly group: string;
  /** When the charge was made, in Unix seconds. */
  readonly createdAt: number;
  /** Whether the cost of the call is known. */
  readonly isCosted: boolean;
  /** Quota units; they differ. */
  readonly before: number;
  readonly after: number;
};

/** The columns of a log row by which its call is charged again. */
export const rechargedColumns = [
  "id",
  "request_id",
  "created_at",
  "user_id",
  "token_id",
  "channel",
  "model_name",
  "group",
  "quota",
  "refunded",
  "rerated",
  "reversed",
  "cost",
] as const;

type RechargedRow = Pick<Selectable<LogTable>, (typeof rechargedColumns)[number]>;

/** Returns what becomes of a call's charge, whose log row is given. */
export function rechargeOf(row: RechargedRow, before: number, after: number): ReratedCharge {
  return {
    logId: row.id,
    requestId: row.request_id,
    userId: row.user_id,
    tokenId: row.token_id,
    channelId: row.channel,
    modelName: row.model_name,
    group: row.group,
    createdAt: row.created_at,
    isCosted: row.cost !== null,
    before,
    after,
  };
}

type Rerating = {
  readonly rerateId: number;
  readonly charges: readonly ReratedCharge[];
  /** How much each user's balance may lose at most. */
  readonly most: ReadonlyMap<number, number>;
  /** Whether what a user does not have becomes a debt; otherwise the call is skipped. */
  readonly mayOwe: boolean;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** What has become of a call. `owed`: how much of the difference became a debt. */
export type RerateOutcome = {
  readonly charge: ReratedCharge;
  readonly isSkipped: boolean;
  readonly owed: number;
};

type Rerated = {
  /** By user. */
  readonly posted: ReadonlyMap<number, Posted>;
  readonly outcomes: readonly RerateOutcome[];
};

/**
 * Charges calls again, those first that are charged less. Null: a charge is not what it was said to
 * be, because it was given back meanwhile; nothing was changed.
 * @throws A database error when a call was charged again by this re-rate before; the transaction
 * cannot be committed then.
 */
export async function rerateCharges(tx: Db, given: Rerating): Promise<Rerated | null> {
  const charges = given.charges.toSorted(
    (one, other) => one.after - one.before - (other.after - other.before),
  );
  // Locked first, so that nothing gives one of these charges back meanwhile.
  const accounts = await loadAccounts(
    tx,
    charges.map(({ userId }) => userId),
    charges.map(({ tokenId }) => tokenId),
  );
  if (!(await areAsSaid(tx, charges))) return null;
  const entries: ChainedEntry[] = [];
  const outcomes: RerateOutcome[] = [];
  for (const charge of charges) {
    const entry = entryOf(accounts, charge, given);
    outcomes.push({ charge, isSkipped: entry === null, owed: Math.max(0, entry?.debt ?? 0) });
    if (entry === null) continue;
    entries.push(entry);
    addToAccounts(accounts, charge, entry);
  }
  const done = outcomes.flatMap((one) => (one.isSkipped ? [] : [one.charge]));
  await insertEntries(tx, accounts, entries);
  await addToCharges(
    tx,
    done.map((charge) => ({ ...charge, amount: charge.after - charge.before })),
    given.nowMs,
  );
  await saveAccounts(tx, accounts);
  await noteRerated(
    tx,
    done.map(({ logId, before, after }) => ({ logId, amount: after - before })),
  );
  const [last] = entries.slice(-1);
  if (last !== undefined) noteWritten(tx, { kind: "entry", what: last.cause });
  return { posted: postedOf(accounts), outcomes };
}

async function areAsSaid(tx: Db, charges: readonly ReratedCharge[]): Promise<boolean> {
  if (charges.length === 0) return true;
  const rows = await tx
    .selectFrom("logs")
    .select(["id", "quota", "rerated"])
    .where(
      "id",
      "in",
      charges.map(({ logId }) => logId),
    )
    .where("reversed", "=", 0)
    .where("refunded", "=", 0)
    .execute();
  const charged = new Map(rows.map(({ id, quota, rerated }) => [id, quota + rerated]));
  return charges.every(({ logId, before }) => charged.get(logId) === before);
}

/** Makes the entry of a call that is charged again; null: its user does not have enough. */
function entryOf(
  accounts: Accounts,
  charge: ReratedCharge,
  { rerateId, most, mayOwe, nowMs }: Rerating,
): ChainedEntry | null {
  const { userId, before, after } = charge;
  const user = accounts.users.get(userId);
  if (user === undefined) return null;
  // What the user was credited in this transaction no call can hold yet.
  const left = (most.get(userId) ?? 0) + user.now.balance - user.before.balance;
  const parts = divide(user.now, { kind: "rerate", amount: before - after, most: left });
  if (parts.debt > 0 && !mayOwe) return null;
  return {
    cause: rerateCauseOf(rerateId, charge.requestId),
    kind: "rerate",
    user_id: userId,
    token_id: charge.tokenId,
    channel_id: charge.channelId,
    log_id: charge.logId,
    detail: `重新计费 #${rerateId}：${before} → ${after}`,
    created_at: unixSeconds(nowMs),
    ...parts,
  };
}

function addToAccounts(
  accounts: Accounts,
  { userId, tokenId, before, after }: ReratedCharge,
  { amount, debt = 0 }: ChainedEntry,
): void {
  const user = accounts.users.get(userId)?.now;
  if (user === undefined) throw new Error(`user ${userId} has no balance`);
  user.balance += amount;
  user.debt += debt;
  user.used += after - before;
  const token = accounts.tokens.get(tokenId)?.now;
  if (token === undefined) return;
  // What the token may still spend stays.
  token.used += after - before;
  token.granted += after - before;
}

function postedOf(accounts: Accounts): ReadonlyMap<number, Posted> {
  return new Map(
    [...accounts.users].map(([userId, { before, now }]) => [
      userId,
      {
        balance: now.balance,
        moved: now.balance - before.balance,
        debt: now.debt,
        owed: Math.max(0, now.debt - before.debt),
      },
    ]),
  );
}
