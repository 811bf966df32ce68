/**
 * Recovery after the death of a node: releases its reservations and logs its calls as interrupted.
 * These calls are not charged, because the gateway is at fault and not the user.
 */

import { tagLines } from "@tollgate/contract/logs/tags.ts";
import { unixSeconds } from "#base/clock.ts";
import type { Db } from "#db/database.ts";
import { databaseMs, dialectOf } from "#db/dialect.ts";
import type { ReservationTable } from "#db/tables/ledger.ts";
import { blankRow, insertCallLogs, setWriteOff } from "#modules/logs/logs.ts";
import { holdBudgets, loadBudgets, saveBudgets } from "./budgets/budget-rows.ts";
import { loadAccounts, saveAccounts } from "./accounts.ts";
import { payDebts } from "./debts/debts.ts";
import { insertEntries } from "./entries.ts";

/** The largest number of reservations that one transaction releases. */
const releaseMax = 500;

/**
 * Releases a batch of reservations that the node made in ended epochs.
 * @returns how many were released; 0: none are left, or records must get into the books first,
 * because the node came back and ended again meanwhile. The next round deals with these.
 */
export async function releaseInterrupted(tx: Db, nodeId: string): Promise<number> {
  const { epoch, nowMs } = await holdEpoch(tx, nodeId);
  if (await hasUnapplied(tx, nodeId, epoch)) return 0;
  for (;;) {
    const rows = await tx
      .selectFrom("reservations")
      .selectAll()
      .where("node_id", "=", nodeId)
      .where("epoch", "<>", epoch)
      .orderBy("id")
      .limit(releaseMax)
      .execute();
    if (rows.length === 0) return 0;
    const released = await release(tx, rows, nowMs);
    if (released.length > 0) {
      await logInterrupted(tx, released, nowMs);
      return released.length;
    }
    // Another node has released all of these reservations in the meantime, so the next ones are
    // read.
  }
}

/**
 * A call that was answered and charged must not be logged as interrupted, so what the node has told
 * its clients in ended epochs must be in the books first. No more of it can appear.
 */
async function hasUnapplied(tx: Db, nodeId: string, epoch: number): Promise<boolean> {
  const record = await tx
    .selectFrom("journal")
    .select("seq")
    .where("node_id", "=", nodeId)
    .where("epoch", "<>", epoch)
    .executeTakeFirst();
  return record !== undefined;
}

/**
 * Releases a batch of the node's reservations that are not among `kept`: their calls have ended, and
 * a database that went back has lost how.
 * @returns how many were released; 0: none are left.
 */
export async function releaseUnowned(
  tx: Db,
  nodeId: string,
  kept: readonly string[],
): Promise<number> {
  const { nowMs } = await holdEpoch(tx, nodeId);
  const owned = new Set(kept);
  const rows = await tx
    .selectFrom("reservations")
    .selectAll()
    .where("node_id", "=", nodeId)
    .orderBy("id")
    .execute();
  const unowned = rows.filter(({ id }) => !owned.has(id)).slice(0, releaseMax);
  if (unowned.length === 0) return 0;
  const released = await release(tx, unowned, nowMs);
  await logInterrupted(tx, released, nowMs);
  return unowned.length;
}

/**
 * Reads the present epoch of a node and locks it until the transaction ends. The epoch −1 means
 * that there is no such node.
 */
async function holdEpoch(tx: Db, nodeId: string): Promise<{ epoch: number; nowMs: number }> {
  const row = await tx
    .selectFrom("nodes")
    .select(["epoch", databaseMs(tx).as("nowMs")])
    .where("id", "=", nodeId)
    .$if(dialectOf(tx) === "postgres", (query) => query.forKeyShare())
    .executeTakeFirst();
  if (row !== undefined) return row;
  const { nowMs } = await tx.selectNoFrom(databaseMs(tx).as("nowMs")).executeTakeFirstOrThrow();
  return { epoch: -1, nowMs };
}

/**
 * Deletes the given reservations that still exist, and subtracts their amounts from what their
 * accounts hold.
 */
async function release(
  tx: Db,
  rows: readonly ReservationTable[],
  nowMs: number,
): Promise<ReservationTable[]> {
  // On PostgreSQL balances store what is held. On SQLite the holds were only in the memory of the
  // dead process.
  const grants = dialectOf(tx) === "postgres";
  const accounts = await loadAccounts(
    tx,
    grants ? rows.map((row) => row.user_id) : [],
    grants ? rows.map((row) => row.token_id) : [],
  );
  // The rows are deleted after the accounts are locked, because another transaction may have ended
  // some of the calls in the meantime.
  const released = await tx
    .deleteFrom("reservations")
    .where(
      "id",
      "in",
      rows.map(({ id }) => id),
    )
    .returningAll()
    .execute();
  for (const row of released) {
    const user = accounts.users.get(row.user_id)?.now;
    if (user !== undefined) user.held -= row.amount;
    const token = accounts.tokens.get(row.token_id)?.now;
    if (token !== undefined) token.held -= row.token_amount;
  }
  await insertEntries(tx, accounts, payDebts(accounts.users.values(), nowMs));
  await saveAccounts(tx, accounts);
  if (grants) {
    const budgets = await loadBudgets(tx, [], released);
    for (const row of released) holdBudgets(budgets, row, -row.amount);
    await saveBudgets(tx, budgets);
  }
  return released;
}

async function logInterrupted(
  tx: Db,
  rows: readonly ReservationTable[],
  nowMs: number,
): Promise<void> {
  const users = await tx
    .selectFrom("users")
    .select(["id", "username"])
    .where("id", "in", [...new Set(rows.map((row) => row.user_id))])
    .execute();
  const tokens = await tx
    .selectFrom("tokens")
    .select(["id", "name"])
    .where("id", "in", [...new Set(rows.map((row) => row.token_id))])
    .execute();
  const usernames = new Map(users.map(({ id, username }) => [id, username]));
  const tokenNames = new Map(tokens.map(({ id, name }) => [id, name]));
  if (rows.length === 0) return;
  const inserted = await insertCallLogs(
    tx,
    rows.map((row) => ({
      ...blankRow,
      request_id: row.id,
      created_at: unixSeconds(nowMs),
      type: 5,
      user_id: row.user_id,
      username: usernames.get(row.user_id) ?? "",
      token_id: row.token_id,
      token_name: tokenNames.get(row.token_id) ?? "",
      model_name: row.model_name,
      group: row.group,
      tags: tagLines(row.tags),
      use_time: Math.max(0, Math.floor((nowMs - row.created_at) / 1_000)),
      content: "网关中断，未扣费",
      cost: 0,
    })),
  );
  await tx
    .insertInto("interrupted_calls")
    .values(inserted.map(({ id, request_id }) => ({ request_id, log_id: id })))
    .execute();
}

/**
 * Finds which of these calls were logged as interrupted after their node's epoch had ended. Such
 * calls are not charged.
 */
export async function findInterrupted(
  tx: Db,
  requestIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (requestIds.length === 0) return new Set();
  const rows = await tx
    .selectFrom("interrupted_calls")
    .select("request_id")
    .where("request_id", "in", [...requestIds])
    .execute();
  return new Set(rows.map((row) => row.request_id));
}

/**
 * Stores in the log rows of interrupted calls what the calls would have cost, when a node that was
 * taken for dead reports it later.
 */
export async function noteWriteOffs(
  tx: Db,
  writeOffs: readonly { readonly requestId: string; readonly amount: number }[],
): Promise<void> {
  if (writeOffs.length === 0) return;
  const rows = await tx
    .selectFrom("interrupted_calls")
    .selectAll()
    .where(
      "request_id",
      "in",
      writeOffs.map(({ requestId }) => requestId),
    )
    .execute();
  const logIds = new Map(rows.map((row) => [row.request_id, row.log_id]));
  for (const { requestId, amount } of writeOffs) {
    await setWriteOff(tx, logIds.get(requestId) ?? 0, amount);
  }
}
