/**
 * The steps of a re-rate. Its place among the calls moves in the transactions that change charges,
 * and so do its sums: whatever dies in between, each call counts once.
 */

import { sql } from "kysely";
import { unixSeconds } from "#base/clock.ts";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import { appendAudit, systemActor } from "#modules/audit/audit.ts";
import {
  type Posted,
  rechargedColumns,
  rechargeOf,
  type RerateOutcome,
  type ReratedCharge,
  rerateCauseOf,
  rerateCharges,
} from "#modules/ledger/ledger.ts";
import { insertLog } from "#modules/logs/logs.ts";
import { tellMoney } from "#modules/notifications/notifications.ts";
import { openStates, type RerateRow } from "./rerates.ts";

/** The log row after which a step begins. */
type ReratePlace = { readonly createdAt: number; readonly id: number };

/** What one step is to do. */
export type RerateStep = {
  readonly id: number;
  /** Where the step begins; another node may have done it already. */
  readonly place: ReratePlace;
  readonly charges: readonly ReratedCharge[];
  readonly calls: number;
  readonly goneCalls: number;
  readonly gone: number;
  /** Null: there are no more calls. */
  readonly next: ReratePlace | null;
};

/** The time for which a node that works on a re-rate has it to itself, in milliseconds. */
const claimMs = 3_000;

/** Whether a re-rate goes on; nearly always there is none. */
export async function hasOpenRerate(db: Db): Promise<boolean> {
  const query = db
    .selectFrom("rerates")
    .select("id")
    .where("state", "in", [...openStates]);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

/** Takes the re-rate that goes on, for this node; undefined: there is none, or another node has it. */
export async function claimRerate(
  tx: Db,
  node: string,
  nowMs: number,
): Promise<RerateRow | undefined> {
  return await tx
    .updateTable("rerates")
    .set({ claimed_by: node, claimed_until: nowMs + claimMs })
    .where("state", "in", [...openStates])
    .where((eb) => eb.or([eb("claimed_by", "=", node), eb("claimed_until", "<=", nowMs)]))
    .returningAll()
    .executeTakeFirst();
}

async function lockRerate(tx: Db, id: number): Promise<RerateRow | undefined> {
  const query = tx.selectFrom("rerates").selectAll().where("id", "=", id);
  return await lockRows(tx, query).executeTakeFirst();
}

/** `posted` is what the step has changed, by user. */
type Stepped = { readonly posted: ReadonlyMap<number, Posted> };

const nothing: Stepped = { posted: new Map() };

/**
 * Does a step, unless it was done already, or a charge of it was given back meanwhile: then it is to
 * be planned again.
 *
 * @param most how much each user's balance may lose at most.
 */
export async function stepRerate(
  tx: Db,
  step: RerateStep,
  most: ReadonlyMap<number, number>,
  nowMs: number,
): Promise<Stepped> {
  const row = await lockRerate(tx, step.id);
  if (row?.state !== "charging") return nothing;
  if (row.at_time !== step.place.createdAt || row.at_id !== step.place.id) return nothing;
  const { charges, next } = step;
  const rerating = { rerateId: row.id, charges, most, mayOwe: row.may_owe === 1, nowMs };
  const rerated = await rerateCharges(tx, rerating);
  if (rerated === null) return nothing;
  const users = sumUsers(rerated.outcomes);
  await addToUsers(tx, row.id, users);
  const all = [...users.values()];
  const total = (name: keyof UserSums): number => all.reduce((sum, of) => sum + of[name], 0);
  await tx
    .updateTable("rerates")
    .set((eb) => ({
      done: eb("done", "+", step.calls),
      changed: eb("changed", "+", total("changed")),
      raised: eb("raised", "+", total("raised")),
      lowered: eb("lowered", "+", total("lowered")),
      owed: eb("owed", "+", total("owed")),
      skipped_calls: eb("skipped_calls", "+", total("skipped_calls")),
      skipped: eb("skipped", "+", total("skipped")),
      gone_calls: eb("gone_calls", "+", step.goneCalls),
      gone: eb("gone", "+", step.gone),
    }))
    .set(
      next === null ? { state: "telling" as const } : { at_time: next.createdAt, at_id: next.id },
    )
    .set({ claimed_until: nowMs + claimMs })
    .where("id", "=", row.id)
    .execute();
  return { posted: rerated.posted };
}

type UserSums = {
  changed: number;
  raised: number;
  lowered: number;
  owed: number;
  skipped_calls: number;
  skipped: number;
};

function sumUsers(outcomes: readonly RerateOutcome[]): ReadonlyMap<number, UserSums> {
  const users = new Map<number, UserSums>();
  for (const { charge, isSkipped, owed } of outcomes) {
    const none = { changed: 0, raised: 0, lowered: 0, owed: 0, skipped_calls: 0, skipped: 0 };
    const of = users.get(charge.userId) ?? none;
    users.set(charge.userId, of);
    const change = charge.after - charge.before;
    if (isSkipped) {
      of.skipped_calls += 1;
      of.skipped += change;
      continue;
    }
    of.changed += 1;
    of.raised += Math.max(0, change);
    of.lowered += Math.max(0, 0 - change);
    of.owed += owed;
  }
  return users;
}

async function addToUsers(
  tx: Db,
  rerate_id: number,
  users: ReadonlyMap<number, UserSums>,
): Promise<void> {
  if (users.size === 0) return;
  await tx
    .insertInto("rerate_users")
    .values([...users].map(([user_id, sums]) => ({ rerate_id, user_id, ...sums })))
    .onConflict((conflict) =>
      conflict.columns(["rerate_id", "user_id"]).doUpdateSet({
        changed: sql<number>`rerate_users.changed + excluded.changed`,
        raised: sql<number>`rerate_users.raised + excluded.raised`,
        lowered: sql<number>`rerate_users.lowered + excluded.lowered`,
        owed: sql<number>`rerate_users.owed + excluded.owed`,
        skipped_calls: sql<number>`rerate_users.skipped_calls + excluded.skipped_calls`,
        skipped: sql<number>`rerate_users.skipped + excluded.skipped`,
      }),
    )
    .execute();
}

/** How many users one transaction tells. */
const toldAtOnce = 100;

/** Tells the next users what has changed for them, and ends the re-rate after the last. */
export async function tellRerate(tx: Db, id: number, nowMs: number): Promise<void> {
  const row = await lockRerate(tx, id);
  if (row?.state !== "telling" && row?.state !== "stopping") return;
  const users = await tx
    .selectFrom("rerate_users")
    .selectAll()
    .where("rerate_id", "=", id)
    .where("user_id", ">", row.told)
    .orderBy("user_id")
    .limit(toldAtOnce)
    .execute();
  for (const { user_id: userId, changed, raised, lowered } of users) {
    if (changed === 0) continue;
    const change = raised - lowered;
    const content = contentOf(row, changed, change);
    await insertLog(tx, { type: 4, userId, content, quota: Math.abs(change), nowMs });
    if (change === 0) continue;
    const isMore = change > 0;
    await tellMoney(tx, {
      cause: `rerate:${id}:${userId}`,
      userId,
      event: isMore ? "rerated_more" : "rerated_less",
      quota: Math.abs(change),
      money: isMore ? row.notice || "-" : "",
    });
  }
  const isLast = users.length < toldAtOnce;
  const ended = row.state === "telling" ? "done" : "stopped";
  await tx
    .updateTable("rerates")
    .set({ told: users.at(-1)?.user_id ?? row.told })
    .$if(isLast, (query) => query.set({ state: ended, finished_at: unixSeconds(nowMs) }))
    .where("id", "=", id)
    .execute();
  if (!isLast) return;
  const { calls, changed, expected, gone, lowered, owed, raised, skipped } = row;
  const detail = { state: ended, calls, changed, expected, raised, lowered, owed, skipped, gone };
  const note = { actor: systemActor, action: "rerate.end", target: `rerate:${id}` };
  await appendAudit(tx, { ...note, detail, nowMs });
}

function contentOf({ id, notice, undoes }: RerateRow, calls: number, change: number): string {
  if (undoes === 0) {
    const content = `重新计费 #${id}：${calls} 次调用，差额 ${change}`;
    return notice === "" ? content : `重新计费 #${id}：${calls} 次调用，差额 ${change}。${notice}`;
  }
  const content = `撤销重新计费 #${undoes}：${calls} 次调用，差额 ${change}`;
  return notice === ""
    ? content
    : `撤销重新计费 #${undoes}：${calls} 次调用，差额 ${change}。${notice}`;
}

/** How many log rows one step of taking a re-rate back looks at. */
const undoRows = 500;

/** Plans the next charges that are taken back: each becomes what it was before the re-rate. */
export async function planUndo(
  db: Db,
  row: Pick<RerateRow, "ends_at" | "last_log" | "starts_at" | "undoes">,
  after: ReratePlace,
): Promise<Omit<RerateStep, "id" | "place">> {
  const { starts_at: start, ends_at: end, last_log: last, undoes } = row;
  const rows = await db
    .selectFrom("logs")
    .select([...rechargedColumns])
    .where((eb) => eb(eb.refTuple("created_at", "id"), ">", eb.tuple(after.createdAt, after.id)))
    .where("created_at", ">=", start)
    .where("created_at", "<", end)
    .where("id", "<=", last)
    .where("type", "=", 2)
    .orderBy("created_at")
    .orderBy("id")
    .limit(undoRows)
    .execute();
  const causes = rows.map(({ request_id: id }) => rerateCauseOf(undoes, id));
  const changes = await readChanges(db, causes);
  const charges: ReratedCharge[] = [];
  const gone = { calls: 0, amount: 0 };
  for (const call of rows) {
    const change = changes.get(call.id);
    if (change === undefined) continue;
    if (call.refunded > 0 || call.reversed !== 0) {
      gone.calls += 1;
      gone.amount -= change;
      continue;
    }
    const before = call.quota + call.rerated;
    charges.push(rechargeOf(call, before, before - change));
  }
  const newest = rows.at(-1);
  const next =
    newest === undefined || rows.length < undoRows
      ? null
      : { createdAt: newest.created_at, id: newest.id };
  return { charges, calls: changes.size, goneCalls: gone.calls, gone: gone.amount, next };
}

/** Reads by how much a re-rate has changed charges, by the id of their log rows. */
async function readChanges(db: Db, causes: readonly string[]) {
  if (causes.length === 0) return new Map<number, number>();
  const entries = await db
    .selectFrom("entries")
    .select(["log_id", "amount", "debt"])
    .where("cause", "in", [...causes])
    .execute();
  return new Map(entries.map(({ log_id, amount, debt }) => [log_id, debt - amount]));
}
