/**
 * The rows of asynchronous tasks. A row is stored before its request is sent, so that no task is
 * unknown that an upstream may work on. The ledger notes the charge on it, in the transaction of
 * the charge.
 */

import type { Selectable } from "kysely";
import type { BegunTask } from "#canonical/call-log.ts";
import type { Db } from "#db/database.ts";
import type { TaskTable } from "#db/tables/tasks.ts";

export type TaskRow = Selectable<TaskTable>;

/** A task whose upstream is to be asked. */
export type DueTask = Pick<
  TaskRow,
  | "action"
  | "channel_id"
  | "deadline_at"
  | "id"
  | "key_ref"
  | "model_name"
  | "notify_hook"
  | "platform"
  | "status"
  | "submit_time"
  | "task_id"
  | "upstream_id"
>;

/**
 * Notes on the row of a task that its upstream has accepted it, and what was charged. Throws if it
 * has ended meanwhile, or if the upstream's id is that of another task of the channel; the
 * transaction cannot be committed then.
 */
export async function beginTask(
  tx: Db,
  { id, upstreamId, dueAt }: BegunTask,
  charge: { readonly quota: number; readonly logId: number },
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable("tasks")
    .set({
      upstream_id: upstreamId,
      status: "SUBMITTED",
      code: acceptedCode,
      quota: charge.quota,
      log_id: charge.logId,
      due_at: dueAt,
    })
    .where("task_id", "=", id)
    .where("upstream_id", "=", "")
    .where("status", "=", "")
    .executeTakeFirstOrThrow();
  if (Number(numUpdatedRows) !== 1) throw new Error(`task ${id} is not being submitted any more`);
}

/** The code of a submission that was accepted, unless the upstream names another one. */
const acceptedCode = 1;
