/** Begins, ends and lists re-rates. */

import {
  type Rerate,
  rerateMarginSeconds,
  type RerateUser,
  rerateUsersMax,
  type Shortfall,
} from "@tollgate/contract/endpoints/rerates.ts";
import type { PageWindow } from "@tollgate/contract/endpoints/page.ts";
import { sql } from "kysely";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import { recordChange } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { isOpen, openStates, type RerateRow } from "./rerates.ts";

/** What root wants, and who root is. */
type Wish = {
  readonly reason: string;
  readonly notice: string;
  readonly shortfall: Shortfall;
  readonly actor: Actor;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** The preview that root has seen, of a saved version. */
export type SeenPreview = {
  readonly name: string;
  /** The version whose prices it tried. */
  readonly version: number;
  readonly start: number;
  readonly end: number;
  readonly last: number;
  /** When it was begun, in Unix milliseconds. */
  readonly nowMs: number;
  readonly calls: number;
  readonly before: number;
  readonly after: number;
};

/**
 * Begins a re-rate.
 * @throws Refusal `not-allowed` while another one goes on; `stale` if there was one since the
 * preview; `invalid-input` if the span is not over.
 */
export async function beginRerate(tx: Db, seen: SeenPreview, wish: Wish): Promise<number> {
  const newest = await lockAll(tx);
  const asOf = unixSeconds(seen.nowMs);
  if (newest !== undefined && Math.max(newest.created_at, newest.finished_at) >= asOf) {
    throw new Refusal("stale", "试算之后已有重新计费，请重新试算");
  }
  if (seen.end > asOf - rerateMarginSeconds) {
    throw new Refusal("invalid-input", "重新计费的时间段须已结束");
  }
  return await insert(tx, wish, {
    undoes: 0,
    version: seen.version,
    starts_at: seen.start,
    ends_at: seen.end,
    last_log: seen.last,
    as_of: asOf,
    preview: seen.name,
    calls: seen.calls,
    expected: seen.after - seen.before,
  });
}

/**
 * Begins to take a re-rate back.
 * @throws Refusal `not-found`; `not-allowed` while one goes on, or if one stands that came later.
 */
export async function beginUndo(tx: Db, id: number, wish: Wish): Promise<number> {
  await lockAll(tx);
  const row = await findRerate(tx, id);
  if (row === undefined) throw new Refusal("not-found", "重新计费不存在");
  if (row.undoes !== 0 || (await findStanding(tx)) !== id) {
    throw new Refusal("not-allowed", "只能撤销最近一次仍有效的重新计费");
  }
  const { version, starts_at, ends_at, last_log, changed, raised, lowered } = row;
  return await insert(tx, wish, {
    undoes: id,
    version,
    starts_at,
    ends_at,
    last_log,
    as_of: unixSeconds(wish.nowMs),
    preview: "",
    calls: changed,
    expected: lowered - raised,
  });
}

/**
 * Lets one beginning at a time through, and returns the newest re-rate.
 * @throws Refusal `not-allowed` while one goes on.
 */
async function lockAll(tx: Db): Promise<RerateRow | undefined> {
  // Locks the row with the configuration's version, as a save of prices does.
  await recordChange(tx, "prices", 0);
  const newest = await tx
    .selectFrom("rerates")
    .selectAll()
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (newest !== undefined && isOpen(newest)) {
    throw new Refusal("not-allowed", "已有重新计费正在进行");
  }
  return newest;
}

/** Finds the newest re-rate that was not taken back; 0: there is none. */
async function findStanding(db: Db): Promise<number> {
  const row = await db
    .selectFrom("rerates")
    .select("id")
    .where("undoes", "=", 0)
    .where("id", "not in", db.selectFrom("rerates").select("undoes"))
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? 0;
}

type Begun = Pick<
  RerateRow,
  | "as_of"
  | "calls"
  | "ends_at"
  | "expected"
  | "last_log"
  | "preview"
  | "starts_at"
  | "undoes"
  | "version"
>;

async function insert(tx: Db, wish: Wish, begun: Begun): Promise<number> {
  const { reason, notice, shortfall, actor, nowMs } = wish;
  const none = { finished_at: 0, done: 0, changed: 0, raised: 0, lowered: 0, owed: 0, told: 0 };
  const { id } = await tx
    .insertInto("rerates")
    .values({
      ...begun,
      ...none,
      state: "charging",
      may_owe: shortfall === "debt" ? 1 : 0,
      reason,
      notice,
      created_at: unixSeconds(nowMs),
      created_by: actor.userId,
      skipped_calls: 0,
      skipped: 0,
      gone_calls: 0,
      gone: 0,
      at_time: begun.starts_at,
      at_id: 0,
      claimed_by: "",
      claimed_until: 0,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const detail = { ...begun, reason, notice, shortfall };
  const note = { actor, action: "rerate.begin", target: `rerate:${id}`, detail, nowMs };
  await appendAudit(tx, note);
  return id;
}

/** @throws Refusal `not-found` if it does not go on. */
export async function stopRerate(tx: Db, id: number, actor: Actor, nowMs: number): Promise<void> {
  const stopped = await tx
    .updateTable("rerates")
    .set({ state: "stopping" })
    .where("id", "=", id)
    .where("state", "=", "charging")
    // Half of it could not be taken back again.
    .where("undoes", "=", 0)
    .returning("id")
    .executeTakeFirst();
  if (stopped === undefined) throw new Refusal("not-found", "没有正在进行的重新计费");
  await appendAudit(tx, { actor, action: "rerate.stop", target: `rerate:${id}`, nowMs });
}

async function findRerate(tx: Db, id: number): Promise<RerateRow | undefined> {
  const query = tx.selectFrom("rerates").selectAll().where("id", "=", id);
  return await lockRows(tx, query).executeTakeFirst();
}

/** Reads a page of re-rates, newest first. */
export async function pageRerates(
  db: Db,
  { page, page_size }: PageWindow,
): Promise<{ readonly items: Rerate[]; readonly total: number }> {
  const rows = await selectRerates(db)
    .orderBy("rerates.id", "desc")
    .limit(page_size)
    .offset((page - 1) * page_size)
    .execute();
  const { total } = await db
    .selectFrom("rerates")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const standing = await findStanding(db);
  return { items: rows.map((row) => show(row, standing)), total: Number(total) };
}

type Details = {
  readonly rerate: Rerate;
  readonly users: RerateUser[];
  readonly user_count: number;
};

/** Reads a re-rate with its users, those with the largest difference first; undefined: none. */
export async function readRerate(db: Db, id: number): Promise<Details | undefined> {
  const row = await selectRerates(db).where("rerates.id", "=", id).executeTakeFirst();
  if (row === undefined) return undefined;
  const users = await db
    .selectFrom("rerate_users")
    .leftJoin("users", "users.id", "rerate_users.user_id")
    .selectAll("rerate_users")
    .select("users.username as name")
    .where("rerate_id", "=", id)
    .orderBy(sql`abs(raised - lowered)`, "desc")
    .orderBy("user_id")
    .limit(rerateUsersMax)
    .execute();
  const { count } = await db
    .selectFrom("rerate_users")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("rerate_id", "=", id)
    .executeTakeFirstOrThrow();
  return {
    rerate: show(row, await findStanding(db)),
    users: users.map(({ rerate_id: _, name, ...user }) => ({ ...user, name: name ?? "" })),
    user_count: Number(count),
  };
}

function selectRerates(db: Db) {
  return db
    .selectFrom("rerates")
    .leftJoin("users", "users.id", "rerates.created_by")
    .leftJoin("rerates as undos", "undos.undoes", "rerates.id")
    .selectAll("rerates")
    .select(["users.username as name", "undos.id as undone_by"]);
}

type Selected = RerateRow & { readonly name: string | null; readonly undone_by: number | null };

function show(row: Selected, standing: number): Rerate {
  const { id, state, undoes, version, reason, notice, created_at, created_by } = row;
  const { finished_at, calls, done, expected, changed, raised, lowered, owed } = row;
  const { skipped_calls, skipped, gone_calls, gone } = row;
  return {
    id,
    state,
    undoes,
    undone_by: row.undone_by ?? 0,
    may_undo: id === standing && !openStates.includes(state),
    version,
    start: row.starts_at,
    end: row.ends_at,
    shortfall: row.may_owe === 1 ? "debt" : "skip",
    reason,
    notice,
    created_at,
    created_by,
    created_by_name: row.name ?? "",
    finished_at,
    calls,
    done,
    expected,
    changed,
    raised,
    lowered,
    owed,
    skipped_calls,
    skipped,
    gone_calls,
    gone,
  };
}
