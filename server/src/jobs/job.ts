/**
 * Runs periodic jobs. A job never overlaps with itself, and a job that failed runs again at its
 * next time.
 */

import type { Logger } from "#base/logger.ts";

export type Job = {
  readonly name: string;
  /** Time from the end of a run to the start of the next. */
  readonly everyMs: number;
  /**
   * `every-node`: the job is local to a node. `once-in-all-nodes`: the work is shared. Every node
   * runs the job, and each run claims its work in the database, so that no other node does the
   * same.
   */
  readonly runs: "every-node" | "once-in-all-nodes";
  readonly run: () => Promise<void>;
};

/**
 * Starts all jobs.
 *
 * @returns a function that stops them and resolves when none is running.
 */
export function startJobs(jobs: readonly Job[], log: Logger): () => Promise<void> {
  const stops = jobs.map((job) => startJob(job, log));
  return async () => {
    await Promise.all(stops.map(async (stop) => await stop()));
  };
}

function startJob(job: Job, log: Logger): () => Promise<void> {
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout>;

  function plan(): void {
    timer = setTimeout(() => {
      running = turn();
    }, job.everyMs);
  }

  async function turn(): Promise<void> {
    try {
      await job.run();
    } catch (error) {
      log.warn({ job: job.name, error: String(error) }, "a job failed and will run again");
    }
    if (!stopped) plan();
  }

  plan();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}
