import { Refusal } from "#base/refusal.ts";

/** How long a refused caller should wait before trying again. */
const retryAfterMs = 1_000;

/** The database cannot work now: it is locked, full or unreachable. `reason` is for the log. */
export class StoreUnavailable extends Refusal {
  readonly reason: string;

  constructor(reason: string, message = "数据库暂时不可用，请稍后再试") {
    super("unavailable", message, { retryAfterMs });
    this.reason = reason;
  }
}

/** A worker took too long over a task, and was ended. Another one starts with the next task. */
export class TaskTooLong extends StoreUnavailable {}
