import { sql } from "kysely";
import type { TaskState } from "#platforms/platform.ts";
import { findPlatform } from "#platforms/registry.ts";
import type { Db } from "#db/database.ts";
import { databaseMs, lockRows, skipLocked } from "#db/dialect.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import { type Refund, refundCharge } from "#modules/ledger/ledger.ts";
import { insertLog, markRefunded } from "#modules/logs/logs.ts";
import { findDrawing, reviveToken } from "#modules/tokens/tokens.ts";
import { dueColumns, dueTasks, listTasks, pageTasks, upstreamTask } from "./tasks.repo.ts";
import { isOver, claimMs, nextDue, shareOfProgress } from "./task-times.ts";
import type { DueTask, TaskRow } from "./tasks.ts";

/** What is stored of a task before its request is sent. */
export type NewTask = Pick<
  TaskRow,
  | "action"
  | "channel_id"
  | "cost"
  | "deadline_at"
  | "due_at"
  | "group"
  | "key_ref"
  | "model_name"
  | "notify_hook"
  | "platform"
  | "prompt"
  | "request_id"
  | "state"
  | "submit_time"
  | "task_id"
  | "token_id"
  | "token_limited"
  | "user_id"
>;

async function addTask(tx: Db, task: NewTask): Promise<void> {
  await tx
    .insertInto("tasks")
    .values({
      ...task,
      upstream_id: "",
      status: "",
      code: 0,
      progress: 0,
      prompt_en: "",
      description: "",
      fail_reason: "",
      result_url: "",
      data: "{}",
      start_time: 0,
      finish_time: 0,
      quota: 0,
      refunded: 0,
      loss: 0,
      log_id: 0,
    })
    .execute();
}

/** Notes at which channel a task is tried next. */
async function moveTask(
  tx: Db,
  { taskId, channelId, keyRef }: { taskId: string; channelId: number; keyRef: string },
): Promise<void> {
  await tx
    .updateTable("tasks")
    .set({ channel_id: channelId, key_ref: keyRef })
    .where("task_id", "=", taskId)
    .where("status", "=", "")
    .execute();
}

/** Forgets a submission that the upstream answered with a task that is known already. */
async function dropTask(tx: Db, taskId: string): Promise<void> {
  await tx.deleteFrom("tasks").where("task_id", "=", taskId).where("status", "=", "").execute();
}

/** Notes what an upstream said when it accepted a task. */
async function noteSubmitted(
  tx: Db,
  { taskId, code, description }: { taskId: string; code: number; description: string },
): Promise<void> {
  await tx
    .updateTable("tasks")
    .set({ code, description: description.slice(0, textMax) })
    .where("task_id", "=", taskId)
    .execute();
}

/** How the submission of a task ended that is not charged. */
type Unsubmitted = {
  readonly taskId: string;
  /** `UNKNOWN`: the upstream may have accepted it, and may charge for it. */
  readonly status: "FAILURE" | "UNKNOWN";
  readonly code: number;
  readonly reason: string;
  readonly nowMs: number;
};

/** Ends a task that no upstream has accepted. Does nothing if it was accepted, or has ended. */
async function endUnsubmitted(tx: Db, given: Unsubmitted): Promise<void> {
  const row = await lockTask(tx, given.taskId);
  if (row === undefined || row.status !== "" || row.upstream_id !== "") return;
  const loss = given.status === "UNKNOWN" ? row.cost : 0;
  await tx
    .updateTable("tasks")
    .set({
      status: given.status,
      code: given.code,
      progress: 100,
      fail_reason: given.reason.slice(0, textMax),
      finish_time: given.nowMs,
      loss,
      due_at: 0,
    })
    .where("id", "=", row.id)
    .execute();
  if (loss > 0) await noteLoss(tx, row, loss, given.nowMs);
}

/** The longest text that is stored of an upstream's answer, in characters. */
const textMax = 2_000;

/** The longest `data` of a task, in characters; longer data are not stored. */
const dataMax = 64_000;

async function noteLoss(tx: Db, row: TaskRow, loss: number, nowMs: number): Promise<void> {
  const content = `异步任务 ${row.task_id} 未计费，上游可能已收费`;
  const { user_id: userId, channel_id: channelId } = row;
  await insertLog(tx, { type: 4, userId, channelId, content, writeOff: loss, nowMs });
}

async function lockTask(tx: Db, taskId: string): Promise<TaskRow | undefined> {
  const query = tx.selectFrom("tasks").selectAll().where("task_id", "=", taskId);
  return await lockRows(tx, query).executeTakeFirst();
}

/** What an upstream says of a task. */
type Told = {
  readonly taskId: string;
  readonly state: TaskState;
  /** The code and description of the submission; absent: they stay as they are. */
  readonly code?: number;
  readonly nowMs: number;
};

/** What became of what an upstream told: the charge that was given back, and whether anything is new. */
export type ToldResult = { readonly refund: Refund | null; readonly isNew: boolean };

const nothingNew: ToldResult = { refund: null, isNew: false };

/**
 * Notes what an upstream says of a task. Progress does not go back, an end stays; only a success
 * after a failure is still shown, without a charge. The first failure gives the charge back.
 */
async function noteState(tx: Db, { taskId, code, nowMs, ...told }: Told): Promise<ToldResult> {
  const row = await lockTask(tx, taskId);
  if (row === undefined || row.upstream_id === "") return nothingNew;
  const state = withResult(row, told.state);
  if (isOver(row.status)) return await noteAfterEnd(tx, row, state, nowMs);
  const ended = isOver(state.status);
  const progress = ended ? 100 : shareOfProgress(row.progress, state.progress);
  const refund = state.status === "FAILURE" ? await refundTask(tx, row, nowMs) : null;
  const data = JSON.stringify(state.data);
  const next = {
    status: state.status,
    progress,
    code: code ?? row.code,
    fail_reason: state.failReason.slice(0, textMax),
    result_url: state.url === "" ? row.result_url : state.url.slice(0, textMax),
    prompt_en: state.promptEn === "" ? row.prompt_en : state.promptEn.slice(0, textMax),
    description: state.description === "" ? row.description : state.description.slice(0, textMax),
    data: data.length > dataMax ? row.data : data,
    start_time: row.start_time === 0 ? state.startTime : row.start_time,
    finish_time: ended ? state.finishTime || nowMs : 0,
  };
  const isNew = Object.entries(next).some(([name, value]) => row[name as keyof TaskRow] !== value);
  await tx
    .updateTable("tasks")
    .set({ ...next, refunded: refund?.amount ?? 0 })
    .$if(ended, (query) => query.set({ due_at: 0 }))
    .where("id", "=", row.id)
    .execute();
  return { refund, isNew };
}

/** Returns what an upstream says of a task; a success without a result is a failure. */
function withResult(row: TaskRow, state: TaskState): TaskState {
  if (state.status !== "SUCCESS" || state.url !== "" || row.result_url !== "") return state;
  if (findPlatform(row.platform)?.brings(row.action) !== true) return state;
  return { ...state, status: "FAILURE", failReason: state.failReason || "上游没有返回结果" };
}

async function noteAfterEnd(
  tx: Db,
  row: TaskRow,
  state: TaskState,
  nowMs: number,
): Promise<ToldResult> {
  if (row.status === "SUCCESS" || state.status !== "SUCCESS") return nothingNew;
  // Its charge was given back, so the upstream's work is nobody's.
  const loss = row.refunded;
  const data = JSON.stringify(state.data);
  await tx
    .updateTable("tasks")
    .set({
      status: "SUCCESS",
      progress: 100,
      result_url: state.url.slice(0, textMax),
      data: data.length > dataMax ? row.data : data,
      finish_time: state.finishTime || nowMs,
      loss,
      due_at: 0,
    })
    .where("id", "=", row.id)
    .execute();
  if (loss > 0) await noteLoss(tx, row, loss, nowMs);
  return { refund: null, isNew: true };
}

async function refundTask(tx: Db, row: TaskRow, nowMs: number): Promise<Refund | null> {
  const refund = await refundCharge(tx, {
    requestId: row.request_id,
    userId: row.user_id,
    tokenId: row.token_id,
    tokenLimited: row.token_limited === 1,
    modelName: row.model_name,
    group: row.group,
    detail: `任务 ${row.task_id} 失败`,
    nowMs,
  });
  if (refund === undefined) return null;
  await markRefunded(tx, refund.logId, refund.amount);
  const { user_id: userId, channel_id: channelId } = row;
  const amount = refund.amount;
  const content =
    findPlatform(row.platform)?.deadline === "drawing"
      ? `构图失败 ${row.task_id}，补偿 ${amount}`
      : `异步任务执行失败 ${row.task_id}，补偿 ${amount}`;
  await insertLog(tx, { type: 4, userId, channelId, content, quota: amount, nowMs });
  if (refund.tokenLimited) await reviveToken(tx, row.token_id);
  return refund;
}

/** Fails a task whose time is over, or whose channel is gone, and gives its charge back. */
async function failTask(
  tx: Db,
  taskId: string,
  reason: string,
  nowMs: number,
): Promise<ToldResult> {
  const row = await lockTask(tx, taskId);
  if (row === undefined || isOver(row.status)) return nothingNew;
  const refund = await refundTask(tx, row, nowMs);
  await tx
    .updateTable("tasks")
    .set({
      status: "FAILURE",
      progress: 100,
      fail_reason: reason,
      finish_time: nowMs,
      refunded: refund?.amount ?? 0,
      due_at: nextDue({ ...row, status: "FAILURE" }, nowMs, 1),
    })
    .where("id", "=", row.id)
    .execute();
  return { refund, isNew: true };
}

/**
 * Claims the tasks that are due, so that no other node asks about them before the lease ends, by
 * the database's clock.
 */
async function claimDue(tx: Db): Promise<DueTask[]> {
  const now = databaseMs(tx);
  return await tx
    .updateTable("tasks")
    .set({ due_at: sql<number>`${now} + ${sql.lit(claimMs)}` })
    .where("id", "in", skipLocked(tx, dueTasks(tx, now)))
    .returning(dueColumns)
    .execute();
}

/** Sets when a task is asked about again, unless it has ended meanwhile. */
async function planTasks(
  tx: Db,
  plans: readonly { readonly id: number; readonly dueAt: number }[],
): Promise<void> {
  for (const { id, dueAt } of plans) {
    await tx
      .updateTable("tasks")
      .set({ due_at: dueAt })
      .where("id", "=", id)
      .where("due_at", ">", 0)
      .execute();
  }
}

async function findTask(db: Db, taskId: string, userId: number | null): Promise<TaskRow | null> {
  const row = await db
    .selectFrom("tasks")
    .selectAll()
    .where("task_id", "=", taskId)
    .$if(userId !== null, (query) => query.where("user_id", "=", userId))
    .executeTakeFirst();
  return row ?? null;
}

/** Forgets where the result of a task is, because its upstream has none any more. */
async function dropResult(tx: Db, taskId: string): Promise<void> {
  await tx
    .updateTable("tasks")
    .set({ result_url: "", data: "{}" })
    .where("task_id", "=", taskId)
    .execute();
}

/** Finds the own tasks among these ids. */
async function findTasks(db: Db, ids: readonly string[], userId: number): Promise<TaskRow[]> {
  if (ids.length === 0) return [];
  return await db
    .selectFrom("tasks")
    .selectAll()
    .where("task_id", "in", [...ids])
    .where("user_id", "=", userId)
    .execute();
}

/** Finds a task by the upstream's id. */
async function findUpstreamTask(
  db: Db,
  channelId: number,
  upstreamId: string,
): Promise<TaskRow | null> {
  return (await upstreamTask(db, channelId, upstreamId).executeTakeFirst()) ?? null;
}

export const taskStore = defineStore({
  reads: { findDrawing, findTask, findTasks, findUpstreamTask, listTasks, pageTasks },
  writes: {
    addTask,
    claimDue,
    dropResult,
    dropTask,
    endUnsubmitted,
    failTask,
    moveTask,
    noteState,
    noteSubmitted,
    planTasks,
  },
});

export type TaskStore = RemoteStore<typeof taskStore>;
