/** Tells clients of changes of their tasks, at the address that they named. */

import type { Logger } from "#base/logger.ts";
import { ask } from "#network/ask.ts";
import type { Transport } from "#network/transport.ts";
import { findPlatform } from "#platforms/registry.ts";
import { limitsOf, questionMs } from "./ask-upstream.ts";
import { isStreamed } from "./desk.ts";
import type { DeskDeps } from "./desk-work.ts";
import { showTask } from "./task-state.ts";
import type { TaskRow } from "./tasks.ts";

type TellDeps = {
  readonly deps: Pick<DeskDeps, "findChannel" | "forwardsPictures" | "serverAddress" | "store">;
  /** Connects only to public addresses, whatever the operator allows for channels. */
  readonly outside: Transport;
  readonly log: Logger;
};

/** The longest answer of a client that is read, in bytes. */
const answerBytesMax = 4_096;

/** How many clients are told at a time; beyond that, changes are not told. */
const tellsMax = 100;

let telling = 0;

/** Returns at once. What cannot be delivered is not tried again: clients can ask for the task. */
export function tellClient(
  given: TellDeps,
  { task_id, notify_hook }: Pick<TaskRow, "notify_hook" | "task_id">,
): void {
  if (telling >= tellsMax) return;
  telling += 1;
  tell(given, task_id, notify_hook)
    .catch((error: unknown) =>
      given.log.warn({ err: error }, "a client could not be told of its task"),
    )
    .finally(() => {
      telling -= 1;
    });
}

async function tell({ deps, outside }: TellDeps, taskId: string, url: string): Promise<void> {
  const row = await deps.store.findTask(taskId, null);
  const platform = row === null ? undefined : findPlatform(row.platform);
  if (row === null || platform === undefined) return;
  const { task, link } = showTask(platform, row, {
    streams: isStreamed(deps, row),
    serverAddress: deps.serverAddress(),
    drawing: await deps.store.findDrawing(row.token_id),
    marksProgress: true,
  });
  const shown = platform.showTask(task, link);
  await ask(outside, {
    method: "POST",
    url,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(shown),
    limits: limitsOf(questionMs),
    answerBytesMax,
  });
}
