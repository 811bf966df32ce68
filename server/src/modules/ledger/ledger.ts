/**
 * Money's one writer: nothing else changes a balance. A balance changes by an entry, and the
 * cause of an entry counts once.
 */

import { sql } from "kysely";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import type { EntryKind } from "#db/tables/ledger.ts";
import { loadAccounts, saveAccounts } from "./accounts.ts";
import { chainStart } from "./chain.ts";
import { insertEntries } from "./entries.ts";

/** Changes of balances asked for by the console, in step with the judge of running calls. */
export type Money = {
  /**
   * Runs `write`, which posts `amount` to the user's balance in its transaction. What is taken
   * away cannot be held by a call meanwhile; what is added can be held once it is committed.
   *
   * @throws Refusal `quota-too-low` when calls that run hold more than would be left.
   */
  moveUser<Result>(userId: number, amount: number, write: () => Promise<Result>): Promise<Result>;
  /** The same for a token's own quota. */
  moveToken<Result>(tokenId: number, amount: number, write: () => Promise<Result>): Promise<Result>;
  /** A user was created and has this balance. */
  openedUser(userId: number, balance: number): void;
  /** A token was created and may spend this much. */
  openedToken(tokenId: number, remain: number): void;
};

/** A change of a balance that is not a call's. */
type Posting = {
  /** Unique: the same cause counts once. */
  readonly cause: string;
  readonly kind: Exclude<EntryKind, "settle">;
  readonly userId: number;
  /** Not 0. */
  readonly amount: number;
  /** Free text, such as an admin's reason. */
  readonly detail: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** Every user gets one when it is created; a user without cannot be charged. */
export async function openBalance(tx: Db, userId: number): Promise<void> {
  await tx
    .insertInto("balances")
    .values({
      user_id: userId,
      balance: 0,
      held: 0,
      used: 0,
      entry_count: 0,
      head_hash: chainStart,
    })
    .execute();
}

/**
 * Books a change of a balance.
 *
 * @returns the balance with it.
 * @throws Refusal `quota-too-low` when the balance, less what is held, would go below 0. A
 *   database error when the cause was booked before; the transaction cannot be committed then.
 */
export async function postEntry(tx: Db, posting: Posting): Promise<{ balance: number }> {
  const accounts = await loadAccounts(tx, [posting.userId], []);
  const user = accounts.users.get(posting.userId)?.now;
  if (user === undefined) throw new Error(`user ${posting.userId} has no balance`);
  const balance = user.balance + posting.amount;
  if (balance < user.held) throw new Refusal("quota-too-low", "剩余额度不能小于0");
  if (!Number.isSafeInteger(balance)) throw new Refusal("invalid-input", "额度超出上限");
  user.balance = balance;
  await insertEntries(tx, accounts, [
    {
      cause: posting.cause,
      kind: posting.kind,
      user_id: posting.userId,
      token_id: 0,
      channel_id: 0,
      amount: posting.amount,
      log_id: 0,
      detail: posting.detail,
      created_at: unixSeconds(posting.nowMs),
    },
  ]);
  await saveAccounts(tx, accounts);
  return { balance };
}

/** Every token gets one when it is created. `granted`: quota units it may spend. */
export async function openTokenBalance(tx: Db, tokenId: number, granted: number): Promise<void> {
  await tx
    .insertInto("token_balances")
    .values({ token_id: tokenId, granted, remain: granted, used: 0, held: 0 })
    .execute();
}

/**
 * Gives a token more or less to spend.
 *
 * @throws Refusal `quota-too-low` when calls that run hold more than would be left.
 */
export async function adjustTokenBalance(tx: Db, tokenId: number, delta: number): Promise<void> {
  if (delta === 0) return;
  const accounts = await loadAccounts(tx, [], [tokenId]);
  const token = accounts.tokens.get(tokenId)?.now;
  if (token === undefined) throw new Error(`token ${tokenId} has no balance`);
  if (token.remain + delta < token.held) {
    throw new Refusal("quota-too-low", "正在进行的调用占用了该令牌的额度，请稍后再试");
  }
  if (!Number.isSafeInteger(token.granted + delta)) {
    throw new Refusal("invalid-input", "额度超出上限");
  }
  token.remain += delta;
  token.granted += delta;
  await saveAccounts(tx, accounts);
}

/** Most entries looked through for the balances of one moment. */
const lookBackMax = 10_000;

/**
 * The balances a user had while `used` stood at `usedQuota`: more than one when credits arrived
 * between two calls. Tells what a console saw that sends back a row it read earlier.
 */
export async function balancesBefore(db: Db, userId: number, usedQuota: number): Promise<number[]> {
  const rows = await db
    .selectFrom("entries")
    .select(["balance_after", "used_after"])
    .where("user_id", "=", userId)
    .orderBy("seq", "desc")
    .limit(lookBackMax)
    .execute();
  const found = rows.filter((row) => row.used_after === usedQuota);
  const balances = found.map((row) => row.balance_after);
  // Before the first entry the balance was 0.
  if (usedQuota === 0 && rows.length < lookBackMax) balances.push(0);
  return [...new Set(balances)];
}

const watermarkKey = "log_watermark";

/**
 * Log rows up to this id may have been cleaned away. Their entries stay and keep amount and hash,
 * so the proof of the ledger goes on without them.
 */
export async function raiseLogWatermark(tx: Db, logId: number): Promise<void> {
  if (logId <= 0) return;
  await tx
    .insertInto("meta")
    .values({ key: watermarkKey, value: String(logId) })
    .onConflict((conflict) =>
      conflict
        .column("key")
        .doUpdateSet({ value: String(logId) })
        // Compared where it is written, because another node may raise it just now.
        .where(sql<boolean>`cast(meta.value as bigint) < cast(${logId} as bigint)`),
    )
    .execute();
}

/** 0: no log row was ever cleaned. */
export async function readLogWatermark(db: Db): Promise<number> {
  const row = await db
    .selectFrom("meta")
    .select("value")
    .where("key", "=", watermarkKey)
    .executeTakeFirst();
  return row === undefined ? 0 : Number(row.value);
}
