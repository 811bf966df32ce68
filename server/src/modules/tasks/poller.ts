/** Asks upstreams about the tasks that are due, in batches of a channel. */

import { unixSeconds } from "#base/clock.ts";
import type { Logger } from "#base/logger.ts";
import type { TaskChannel } from "#ports/task-desk.ts";
import type { Platform } from "#platforms/platform.ts";
import { findPlatform } from "#platforms/registry.ts";
import { askUpstream, keyOfTask, questionMs } from "./ask-upstream.ts";
import type { DeskDeps } from "./desk-work.ts";
import { isOver, nextDue, roundMs } from "./task-times.ts";
import type { DueTask } from "./tasks.ts";

type PollerDeps = Pick<
  DeskDeps,
  "elapsed" | "findChannel" | "keyRef" | "now" | "random" | "store" | "told" | "transport"
> & { readonly log: Logger };

/** How many questions are asked at a time. */
const atOnceMax = 16;

/** Claims what is due and asks about it once, as far as there is time. */
export async function pollDue(deps: PollerDeps): Promise<void> {
  const untilMs = deps.elapsed() + roundMs;
  const rows = await deps.store.claimDue();
  if (rows.length === 0) return;
  const groups = [...groupsOf(rows)];
  const next = groups.values();
  const work = async (): Promise<void> => {
    for (const group of next) {
      try {
        await pollGroup(deps, group, untilMs);
      } catch (error) {
        deps.log.warn({ err: error, channelId: group.channelId }, "tasks could not be asked about");
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnceMax, groups.length) }, work));
}

/** The tasks of one channel, key and platform. */
type Group = {
  readonly channelId: number;
  readonly platform: Platform | undefined;
  readonly keyRef: string;
  readonly rows: DueTask[];
};

function groupsOf(rows: readonly DueTask[]): Iterable<Group> {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const name = `${row.channel_id} ${row.platform} ${row.key_ref}`;
    const group = groups.get(name);
    if (group !== undefined) {
      group.rows.push(row);
      continue;
    }
    const platform = findPlatform(row.platform);
    groups.set(name, { channelId: row.channel_id, platform, keyRef: row.key_ref, rows: [row] });
  }
  return groups.values();
}

async function pollGroup(
  deps: PollerDeps,
  { channelId, platform, keyRef, rows }: Group,
  untilMs: number,
): Promise<void> {
  const unsent = rows.filter((row) => row.upstream_id === "");
  for (const row of unsent) {
    const reason = "网关未收到上游的完整应答，未计费";
    await deps.store.endUnsubmitted({
      taskId: row.task_id,
      status: "UNKNOWN",
      code: 0,
      reason,
      nowMs: deps.now(),
    });
  }
  const sent = rows.filter((row) => row.upstream_id !== "");
  const channel = deps.findChannel(channelId);
  if (channel === undefined || platform === undefined) {
    for (const row of sent) await fail(deps, row, "任务的渠道已被删除");
    return;
  }
  const asking = { platform, channel, key: keyOfTask(channel, keyRef, deps.keyRef) };
  for (let start = 0; start < sent.length; start += platform.pollMax) {
    const end = start + platform.pollMax;
    const answered = await pollBatch(deps, asking, sent.slice(start, end));
    if (answered && deps.elapsed() < untilMs) continue;
    // The channel does not answer, or slowly: its other tasks wait, so that others are not late.
    await plan(deps, sent.slice(end));
    return;
  }
}

type Asking = { readonly platform: Platform; readonly channel: TaskChannel; readonly key: string };

/** @returns whether the upstream has answered. */
async function pollBatch(
  deps: PollerDeps,
  asking: Asking,
  rows: readonly DueTask[],
): Promise<boolean> {
  const { platform } = asking;
  const tasks = rows.map(({ action, model_name: model, upstream_id: upstreamId }) => ({
    action,
    model,
    upstreamId,
  }));
  const ask = platform.pollRequest(tasks);
  const answered = await askUpstream(deps.transport, {
    ...asking,
    ask,
    totalMs: questionMs,
    nowSeconds: unixSeconds(deps.now()),
  });
  const states =
    answered.kind === "answer" ? platform.readPolled(answered.answer, tasks) : undefined;
  for (const row of rows) {
    const state = states?.get(row.upstream_id);
    if (state === undefined) continue;
    deps.told(await deps.store.noteState({ taskId: row.task_id, state, nowMs: deps.now() }), row);
  }
  await plan(
    deps,
    rows.filter((row) => {
      const state = states?.get(row.upstream_id);
      return state === undefined || !isOver(state.status);
    }),
  );
  return states !== undefined;
}

/** Plans the next question about tasks that have not ended, or fails those whose time is over. */
async function plan(deps: PollerDeps, rows: readonly DueTask[]): Promise<void> {
  const nowMs = deps.now();
  const plans: { id: number; dueAt: number }[] = [];
  for (const row of rows) {
    if (nowMs >= row.deadline_at && !isOver(row.status)) await fail(deps, row, lateReason(row));
    else plans.push({ id: row.id, dueAt: nextDue(row, nowMs, deps.random()) });
  }
  await deps.store.planTasks(plans);
}

function lateReason({ deadline_at, submit_time }: DueTask): string {
  const minutes = Math.round((deadline_at - submit_time) / 60_000);
  return minutes % 60 === 0
    ? `上游任务超时（超过${minutes / 60}小时）`
    : `上游任务超时（超过${minutes}分钟）`;
}

async function fail(deps: PollerDeps, row: DueTask, reason: string): Promise<void> {
  deps.told(await deps.store.failTask(row.task_id, reason, deps.now()), row);
}
