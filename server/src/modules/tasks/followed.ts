/** Finds the task that a submission goes on with, and the part of its result. */

import type { Platform } from "#platforms/platform.ts";
import type { SubmitEnd, Submitting } from "./desk-work.ts";
import { storedTask } from "./task-state.ts";
import type { TaskRow } from "./tasks.ts";

type Followed = { readonly row: TaskRow };

/** Finds the task that this one continues, and whether its channel may be used. */
export async function findFollowed({
  deps,
  submission,
  caller,
  platform,
}: Pick<Submitting, "caller" | "deps" | "platform" | "submission">): Promise<
  Followed | (SubmitEnd & { kind: "refused" }) | null
> {
  if (submission.follows === "") return null;
  const refuse = (status: number, message: string) =>
    ({ kind: "refused", status, code: 4, message }) as const;
  const row = await deps.store.findTask(submission.follows, caller.userId);
  if (row === null || row.platform !== platform.id || row.upstream_id === "") {
    return refuse(platform.missingStatus ?? 400, platform.missingFollowed ?? platform.missing);
  }
  if (submission.needsSuccess && row.status !== "SUCCESS") {
    return refuse(400, "task_status_not_success");
  }
  if (submission.part !== undefined && partOf(platform, row, submission.part) === "") {
    return refuse(platform.missingStatus ?? 400, platform.missingFollowed ?? platform.missing);
  }
  const channel = deps.findChannel(row.channel_id);
  if (channel === undefined) return refuse(400, "get_channel_info_failed");
  if (channel.status !== 1) {
    return refuse(400, platform.channelDisabled ?? "该任务所属渠道已被禁用");
  }
  return { row };
}

/** Returns the upstream's id of a part of a task's result; empty: there is none. */
export function partOf(platform: Platform, row: TaskRow, part: number): string {
  return platform.partIds?.(storedTask(row).data)[part] ?? "";
}
