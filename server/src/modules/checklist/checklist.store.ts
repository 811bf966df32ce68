/** Reads what the checklists show, and writes their marks. */

import { channelStatus } from "@tollgate/contract/endpoints/channels.ts";
import {
  dismissedMark,
  type SetupFacts,
  type UserChecklist,
} from "@tollgate/contract/endpoints/checklist.ts";
import { unixSeconds } from "#base/clock.ts";
import type { Db } from "#db/database.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { splitList } from "#modules/channels/channels.ts";
import type { Mark } from "./checklist.ts";

/** The `user_id` of marks about the installation. */
const installation = 0;

/** The part of the setup facts that is in the database. */
type StoredSetup = Pick<SetupFacts, "call" | "provider" | "token"> & {
  /** The models of the enabled channels. */
  readonly models: readonly string[];
  readonly marks: readonly Mark[];
};

/**
 * Reads the enabled channels, the counters of all channels, and root's tokens. Their number does not
 * grow with that of calls.
 */
async function readSetup(db: Db, rootId: number): Promise<StoredSetup> {
  const channels = await db
    .selectFrom("channels")
    .leftJoin("counters", (join) =>
      join.onRef("counters.id", "=", "channels.id").on("counters.kind", "=", "channel"),
    )
    .select(["channels.id", "models", "test_time", "response_time", "request_count"])
    .where("status", "=", channelStatus.enum.enabled)
    .orderBy("channels.id")
    .execute();
  // A test sets the response time only if the channel has answered.
  const isProven = (channel: (typeof channels)[number]): boolean =>
    channel.response_time > 0 || (channel.request_count ?? 0) > 0;
  const calls = await db
    .selectFrom("counters")
    .select((eb) => [
      eb.fn.coalesce(eb.fn.sum<number>("request_count"), eb.lit(0)).as("count"),
      eb.fn.coalesce(eb.fn.sum<number>("used_quota"), eb.lit(0)).as("quota"),
    ])
    .where("kind", "=", "channel")
    .executeTakeFirstOrThrow();
  return {
    provider: {
      enabled: channels.length,
      proven: channels.filter(isProven).length,
      last_test: Math.max(0, ...channels.map(({ test_time }) => test_time)),
      unproven_id: channels.find((channel) => !isProven(channel))?.id ?? 0,
    },
    models: [...new Set(channels.flatMap(({ models }) => splitList(models)))],
    token: { count: await countTokens(db, rootId) },
    call: { count: Number(calls.count), quota: Number(calls.quota) },
    marks: await readMarks(db, installation),
  };
}

async function readUser(db: Db, userId: number): Promise<UserChecklist> {
  const balance = await db
    .selectFrom("balances")
    .select("balance")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  const used = await db
    .selectFrom("counters")
    .select("request_count")
    .where("kind", "=", "user")
    .where("id", "=", userId)
    .executeTakeFirst();
  const marks = await readMarks(db, userId);
  return {
    dismissed: marks.some(({ name }) => name === dismissedMark),
    tokens: await countTokens(db, userId),
    calls: used?.request_count ?? 0,
    quota: balance?.balance ?? 0,
  };
}

async function countTokens(db: Db, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom("tokens")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return count;
}

async function readMarks(db: Db, userId: number): Promise<Mark[]> {
  return await db
    .selectFrom("checklist_marks")
    .select(["name", "marked_at"])
    .where("user_id", "=", userId)
    .execute();
}

type Marking = {
  readonly name: string;
  readonly marked: boolean;
  readonly actor: Actor;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** Marks a step of the installation, and notes it in the audit log if that changes anything. */
async function markSetup(tx: Db, marking: Marking): Promise<void> {
  if (!(await mark(tx, installation, marking))) return;
  const { name, marked, actor, nowMs } = marking;
  await appendAudit(tx, {
    actor,
    action: "setup.step",
    target: `step:${name}`,
    detail: { marked },
    nowMs,
  });
}

async function markUser(tx: Db, marking: Marking): Promise<void> {
  await mark(tx, marking.actor.userId, marking);
}

/** Sets or removes a mark. Returns whether that changed anything. */
async function mark(
  tx: Db,
  userId: number,
  { name, marked, nowMs }: Pick<Marking, "marked" | "name" | "nowMs">,
): Promise<boolean> {
  if (!marked) {
    const removed = await tx
      .deleteFrom("checklist_marks")
      .where("user_id", "=", userId)
      .where("name", "=", name)
      .returning("name")
      .execute();
    return removed.length > 0;
  }
  const added = await tx
    .insertInto("checklist_marks")
    .values({ user_id: userId, name, marked_at: unixSeconds(nowMs) })
    .onConflict((conflict) => conflict.columns(["user_id", "name"]).doNothing())
    .returning("name")
    .execute();
  return added.length > 0;
}

export const checklistStore = defineStore({
  reads: { readSetup, readUser },
  writes: { markSetup, markUser },
});

export type ChecklistStore = RemoteStore<typeof checklistStore>;
