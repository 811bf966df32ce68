/** When tasks are asked about, and what of their states counts. */

import type { TaskRow } from "./tasks.ts";

/** The shortest and the longest time between two questions about a task, in milliseconds. */
const pollMsMin = 2_000;
const pollMsMax = 60_000;

/** A task is asked about after this share of its age, within the bounds above. */
const pollShare = 0.1;

/** By how much of itself that time is longer or shorter by chance, so that tasks spread out. */
const jitter = 0.2;

/** How often a task is asked about that has failed by its deadline: it may still succeed. */
const lateMs = 600_000;

/** For how long a node has a task to itself once it has claimed it, in milliseconds. */
export const claimMs = 90_000;

/**
 * For how long after a claim a node begins to ask about what it has claimed, in milliseconds. Short,
 * so that a slow channel delays the others little, and far below the lease.
 */
export const roundMs = 20_000;

export function isOver(status: string): boolean {
  return status === "SUCCESS" || status === "FAILURE" || status === "UNKNOWN";
}

/**
 * Returns when a task is asked about next, in Unix milliseconds; 0: not any more. After its
 * deadline it is asked for as long again, because a late success is still shown.
 *
 * @param random in the range [0, 1).
 */
export function nextDue(
  task: Pick<TaskRow, "deadline_at" | "status" | "submit_time" | "upstream_id">,
  nowMs: number,
  random: number,
): number {
  const { deadline_at: deadline, status, submit_time: submitted } = task;
  if (isOver(status)) {
    const isLate = status === "FAILURE" && task.upstream_id !== "" && nowMs >= deadline;
    return isLate && nowMs < 2 * deadline - submitted ? nowMs + lateMs : 0;
  }
  const wait = Math.min(pollMsMax, Math.max(pollMsMin, (nowMs - submitted) * pollShare));
  const due = nowMs + Math.round(wait * (1 - jitter + 2 * jitter * random));
  return nowMs < deadline ? Math.min(due, deadline) : due;
}

/** Progress does not go back, and only an end is 100. */
export function shareOfProgress(before: number, told: number): number {
  return Math.max(before, Math.min(99, Math.max(0, Math.trunc(told))));
}
