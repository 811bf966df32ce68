/**
 * Reversals: settlements that are given back, because the store did not commit them in time and the
 * answers of their calls were withheld. The settlement and its log row stay. An entry of the same
 * amount credits the user, and the sums are as if the call had not been charged. An additional log
 * row says what the operator pays.
 */

import { unixSeconds } from "#base/clock.ts";
import { type ChargedCallLog, lastChannelOf } from "#canonical/call-log.ts";
import type { Db } from "#db/database.ts";
import { type CallLogRow, insertCallLogs, markReversed, noCost } from "#modules/logs/logs.ts";
import type { BudgetClaim } from "./budgets/budgets.ts";
import type { Accounts } from "./accounts.ts";
import { rerateCauseOf, reversalCauseOf, settlingCausesOf } from "./applied.ts";
import { settledRow } from "./call-rows.ts";
import type { ChainedEntry } from "./entries.ts";
import type { Operation } from "./operations.ts";
import { type DroppedRerate, noRerate } from "./rerate/drop-rerate.ts";

type Known = {
  readonly charged: number;
  readonly logId: number;
  /** What re-rates have added to the charge. */
  readonly rerated: number;
};

/** What is already stored about the calls that a batch reverses, by request id. */
export type KnownReversals = {
  readonly settled: ReadonlyMap<string, Known>;
  /**
   * What reversals have given back that exist already, because the batch was committed when it was
   * sent before.
   */
  readonly reversed: ReadonlyMap<string, { readonly amount: number; readonly rerated: number }>;
};

const nothingKnown: KnownReversals = { settled: new Map(), reversed: new Map() };

export async function findReversals(
  tx: Db,
  operations: readonly Operation[],
): Promise<KnownReversals> {
  const ids = operations.flatMap((one) => (one.type === "reverse" ? [one.id] : []));
  if (ids.length === 0) return nothingKnown;
  const rows = await tx
    .selectFrom("entries")
    .select(["cause", "amount", "log_id"])
    .where("cause", "in", [
      ...ids.flatMap(settlingCausesOf),
      ...ids.flatMap((id) => [reversalCauseOf(id), rerateCauseOf(noRerate, id)]),
    ])
    .execute();
  const byCause = new Map(rows.map((row) => [row.cause, row]));
  const settled = new Map<string, Known>();
  const reversed = new Map<string, { amount: number; rerated: number }>();
  for (const id of ids) {
    const settlement = settlingCausesOf(id)
      .map((cause) => byCause.get(cause))
      .find((found) => found !== undefined);
    const reversal = byCause.get(reversalCauseOf(id));
    if (reversal !== undefined) {
      const rerated = byCause.get(rerateCauseOf(noRerate, id))?.amount ?? 0;
      reversed.set(id, { amount: reversal.amount, rerated });
    }
    if (settlement === undefined) continue;
    const { amount, log_id: logId } = settlement;
    settled.set(id, { charged: 0 - amount, logId, rerated: await readRerated(tx, logId) });
  }
  return { settled, reversed };
}

async function readRerated(tx: Db, logId: number): Promise<number> {
  const row = tx.selectFrom("logs").select("rerated").where("id", "=", logId);
  return (await row.executeTakeFirst())?.rerated ?? 0;
}

/** The reversal of a settlement, with what its entry and log rows need. */
export type Reversal = {
  readonly log: ChargedCallLog;
  /**
   * What the settlement charged, above 0. `cost` may be more, if the balance did not have all of
   * it.
   */
  readonly charged: number;
  readonly cost: number;
  /**
   * Id of the log row; undefined: the settlement is in the same batch, so its row has no id yet.
   */
  readonly logId: number | undefined;
  /** Unix milliseconds. */
  readonly atMs: number;
  readonly budget: BudgetClaim | undefined;
};

/** Returns what is to be taken back of re-rates of a charge that is reversed. */
export function droppedOf(log: ChargedCallLog, known: Known, nowMs: number): DroppedRerate {
  const { logId, rerated } = known;
  return {
    requestId: log.requestId,
    userId: log.userId,
    tokenId: log.tokenId,
    channelId: lastChannelOf(log),
    modelName: log.modelName,
    group: log.group,
    logId,
    createdAt: log.createdAt,
    isCosted: log.cost !== null,
    rerated,
    nowMs,
  };
}

/** Adds a reversed charge back to the balances of the user and the token. */
export function creditAccounts(
  accounts: Accounts,
  { tokenLimited, log }: Operation & { type: "reverse" },
  charged: number,
): void {
  const user = accounts.users.get(log.userId)?.now;
  if (user === undefined) throw new Error(`user ${log.userId} has no balance`);
  user.balance += charged;
  user.used -= charged;
  const token = accounts.tokens.get(log.tokenId)?.now;
  if (token === undefined) return;
  token.used -= charged;
  if (tokenLimited) token.remain += charged;
  else token.granted -= charged;
}

/**
 * The text that explains the reversal in the entry, in the user's log and in the log row of the
 * write-off.
 */
const reason = "计费服务未能及时写入，应答未送达，费用已退回";

export function reversalEntry(
  { log, charged, atMs, budget }: Reversal,
  logId: number,
): ChainedEntry {
  return {
    cause: reversalCauseOf(log.requestId),
    kind: "reversal",
    user_id: log.userId,
    token_id: log.tokenId,
    channel_id: lastChannelOf(log),
    amount: charged,
    log_id: logId,
    detail: reason,
    created_at: unixSeconds(atMs),
    budget_at: budget?.at,
  };
}

/**
 * Returns the log row of a call as it was before the reversal, for subtracting the row from the
 * sums.
 */
export function reversedRow({ log, charged, cost }: Reversal): CallLogRow {
  return settledRow(log, charged, cost - charged);
}

/**
 * Marks the log rows of reversed settlements, and inserts a log row for each that says what is
 * written off and why.
 */
export async function noteReversals(
  tx: Db,
  reversals: readonly (Reversal & { readonly logId: number })[],
): Promise<void> {
  if (reversals.length === 0) return;
  await markReversed(
    tx,
    reversals.map(({ logId }) => logId),
  );
  await insertCallLogs(tx, reversals.map(noteOf));
}

/** Makes a log row of type "system" about a reversal; no sum includes such rows. */
function noteOf(reversal: Reversal): CallLogRow {
  return {
    ...reversedRow(reversal),
    created_at: unixSeconds(reversal.atMs),
    type: 4,
    quota: reversal.charged,
    write_off: reversal.charged,
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: 0,
    is_stream: 0,
    content: reason,
    other: "",
    usage: "",
    usage_source: "",
    price_version: 0,
    losses: "",
    seen_output: 0,
    ...noCost,
  };
}
