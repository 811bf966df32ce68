import { taskCountMost } from "@tollgate/contract/endpoints/tasks.ts";
import { type RawBuilder, sql } from "kysely";
import type { Db } from "#db/database.ts";
import type { DueTask, TaskRow } from "./tasks.ts";

export type TaskFilter = {
  /** Null: of all users. */
  readonly userId: number | null;
  /** Whether to list pictures of Midjourney, or everything else. */
  readonly drawings: boolean;
  readonly offset: number;
  readonly limit: number;
  /** Empty or 0: any. */
  readonly taskId: string;
  readonly platform: string;
  readonly status: string | null;
  readonly action: string;
  readonly channelId: number;
  /** Unix milliseconds. */
  readonly start: number;
  readonly end: number;
  /** The list goes on after the task with this `id` of its row; 0 or absent: it begins. */
  readonly afterRow?: number;
  readonly oldestFirst?: boolean;
};

/** The platform whose tasks have a list of their own. */
const drawingPlatform = "midjourney";

/** Lists tasks, newest first unless the oldest are wanted. */
export async function listTasks(db: Db, filter: TaskFilter): Promise<TaskRow[]> {
  const { afterRow = 0, oldestFirst = false } = filter;
  return await matching(db, filter)
    .selectAll()
    .$if(afterRow > 0, (query) => query.where("id", oldestFirst ? ">" : "<", afterRow))
    .orderBy("id", oldestFirst ? "asc" : "desc")
    .limit(filter.limit)
    .offset(filter.offset)
    .execute();
}

/** Lists one page, and counts the matching tasks up to `taskCountMost`. */
export async function pageTasks(
  db: Db,
  filter: TaskFilter,
): Promise<{ readonly rows: NamedTask[]; readonly total: number }> {
  const rows = await withNames(db, await listTasks(db, filter));
  const counted = matching(db, filter).select("id").limit(taskCountMost);
  const { total } = await db
    .selectFrom(counted.as("counted"))
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}

/** A task with the names of its user and its channel; empty: the user or channel is gone. */
export type NamedTask = TaskRow & { readonly username: string; readonly channel_name: string };

async function withNames(db: Db, rows: readonly TaskRow[]): Promise<NamedTask[]> {
  const users = await db
    .selectFrom("users")
    .select(["id", "username"])
    .where("id", "in", [...new Set([0, ...rows.map(({ user_id }) => user_id)])])
    .execute();
  const channels = await db
    .selectFrom("channels")
    .select(["id", "name"])
    .where("id", "in", [...new Set([0, ...rows.map(({ channel_id }) => channel_id)])])
    .execute();
  const userNames = new Map(users.map(({ id, username }) => [id, username]));
  const channelNames = new Map(channels.map(({ id, name }) => [id, name]));
  return rows.map((row) => ({
    ...row,
    username: userNames.get(row.user_id) ?? "",
    channel_name: channelNames.get(row.channel_id) ?? "",
  }));
}

function matching(db: Db, filter: TaskFilter) {
  const { userId, taskId, platform, status, action, channelId, start, end } = filter;
  return db
    .selectFrom("tasks")
    .where("platform", filter.drawings ? "=" : "<>", drawingPlatform)
    .$if(userId !== null, (query) => query.where("user_id", "=", userId))
    .$if(taskId !== "", (query) => query.where("task_id", "=", taskId))
    .$if(platform !== "", (query) => query.where("platform", "=", platform))
    .$if(status !== null, (query) => query.where("status", "=", status))
    .$if(action !== "", (query) => query.where("action", "=", action))
    .$if(channelId > 0, (query) => query.where("channel_id", "=", channelId))
    .$if(start > 0, (query) => query.where("submit_time", ">=", start))
    .$if(end > 0, (query) => query.where("submit_time", "<=", end));
}

/** The most tasks that one node asks about at a time. */
const claimMax = 500;

/**
 * Selects the tasks that are due, the longest due first. The literal 0 is the condition of the
 * index: the database would not know a parameter to be the same.
 */
export function dueTasks(db: Db, now: RawBuilder<number>) {
  return db
    .selectFrom("tasks")
    .select("id")
    .where("due_at", ">", sql.lit(0))
    .where("due_at", "<=", now)
    .orderBy("due_at")
    .limit(claimMax);
}

/** What the poller reads of a task: no text that a client or an upstream can make long. */
export const dueColumns = [
  ...(["id", "task_id", "upstream_id", "platform", "action", "model_name"] as const),
  ...(["channel_id", "key_ref", "status", "notify_hook"] as const),
  ...(["submit_time", "deadline_at"] as const),
] satisfies readonly (keyof DueTask)[];

/** Selects the task to which an upstream gave this id. The empty text is the condition of the index. */
export function upstreamTask(db: Db, channelId: number, upstreamId: string) {
  return db
    .selectFrom("tasks")
    .selectAll()
    .where("channel_id", "=", channelId)
    .where("upstream_id", "=", upstreamId)
    .where("upstream_id", "<>", sql.lit(""));
}
