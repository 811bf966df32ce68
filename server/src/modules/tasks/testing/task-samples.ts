/** Tasks and what upstreams say of them, for tests. */

import { noUsage } from "@tollgate/contract/money/charge.ts";
import type { ChargedCallLog } from "#canonical/call-log.ts";
import type { TaskState } from "#platforms/platform.ts";
import type { NewTask } from "#modules/tasks/tasks.store.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";

/** The price of the tasks below, in quota units. */
export const taskCost = 50_000;

/** When the tasks below are submitted, in Unix milliseconds. */
export const submittedMs = 1_763_700_000_000;

export function newTask(parts: Partial<NewTask> & { readonly task_id: string }): NewTask {
  return {
    platform: "midjourney",
    action: "IMAGINE",
    model_name: "mj_imagine",
    group: "default",
    user_id: 1,
    token_id: 1,
    token_limited: 1,
    channel_id: 5,
    request_id: parts.task_id,
    prompt: "a cat",
    state: "",
    notify_hook: "",
    key_ref: "",
    cost: taskCost,
    submit_time: submittedMs,
    due_at: submittedMs + 180_000,
    deadline_at: submittedMs + 3_600_000,
    ...parts,
  };
}

/** The log of the call that began the task. */
export function taskLog(task: NewTask, upstreamId: string): ChargedCallLog {
  return chargedLog({
    requestId: task.request_id,
    userId: task.user_id,
    tokenId: task.token_id,
    tried: [task.channel_id],
    modelName: task.model_name,
    isStream: false,
    usage: noUsage,
    task: {
      id: task.task_id,
      upstreamId,
      action: task.action,
      use: { seconds: 1, count: 1, mode: "", size: "" },
      dueAt: submittedMs + 5_000,
    },
  });
}

export function taskState(status: TaskState["status"], progress = 50): TaskState {
  return {
    status,
    progress,
    failReason: status === "FAILURE" ? "banned prompt" : "",
    url: status === "SUCCESS" ? "https://pictures.example/1.png" : "",
    promptEn: "",
    description: "",
    startTime: 0,
    finishTime: 0,
    data: {},
  };
}
