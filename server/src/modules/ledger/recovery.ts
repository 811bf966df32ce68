/**
 * What is left of a node that died: its reservations are released and its calls logged as
 * interrupted, charged 0. It broke them, so it pays.
 */

import { unixSeconds } from "#base/clock.ts";
import type { Db } from "#db/database.ts";
import { dialectOf } from "#db/dialect.ts";
import type { ReservationTable } from "#db/tables/ledger.ts";
import { insertCallLogs } from "#modules/logs/logs.ts";
import { loadAccounts, saveAccounts } from "./accounts.ts";

/** Reservations one transaction releases. */
const releaseMax = 500;

/** @returns how many were released; 0: nothing is left of these nodes. */
export async function releaseInterrupted(
  tx: Db,
  nodeIds: readonly string[],
  nowMs: number,
): Promise<number> {
  if (nodeIds.length === 0) return 0;
  for (;;) {
    const rows = await tx
      .selectFrom("reservations")
      .selectAll()
      .where("node_id", "in", [...nodeIds])
      .orderBy("id")
      .limit(releaseMax)
      .execute();
    if (rows.length === 0) return 0;
    const released = await release(tx, rows);
    if (released.length > 0) {
      await logInterrupted(tx, released, nowMs);
      return released.length;
    }
    // Another node released all of these meanwhile.
  }
}

/** Ends those of `rows` that are still open. */
async function release(tx: Db, rows: readonly ReservationTable[]): Promise<ReservationTable[]> {
  // On SQLite the judge that held them died with its memory.
  const grants = dialectOf(tx) === "postgres";
  const accounts = await loadAccounts(
    tx,
    grants ? rows.map((row) => row.user_id) : [],
    grants ? rows.map((row) => row.token_id) : [],
  );
  // Once the accounts are locked: another node may have ended some while this one waited.
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
  await saveAccounts(tx, accounts);
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
  await insertCallLogs(
    tx,
    rows.map((row) => ({
      request_id: row.id,
      created_at: unixSeconds(nowMs),
      type: 5,
      user_id: row.user_id,
      username: usernames.get(row.user_id) ?? "",
      token_id: row.token_id,
      token_name: tokenNames.get(row.token_id) ?? "",
      channel: 0,
      model_name: row.model_name,
      group: row.group,
      quota: 0,
      write_off: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      use_time: Math.max(0, Math.floor((nowMs - row.created_at) / 1_000)),
      is_stream: 0,
      content: "网关中断，未扣费",
      other: "",
      client_ip: "",
      usage: "",
      usage_source: "",
      price_version: 0,
      losses: "",
    })),
  );
}
