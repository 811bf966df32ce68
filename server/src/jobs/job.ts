/** The scheduler of timed work. A job never runs twice at a time; after a failure it runs again. */

import type { Logger } from "#base/logger.ts";

export type Job = {
  readonly name: string;
  /** From the end of a run to the start of the next one. */
  readonly everyMs: number;
  /**
   * `every-node`: the work is this node's own. `once-in-all-nodes`: the work is shared; every node
   * takes its turns, and a run claims in the database what it does, so that no other node does it.
   */
  readonly runs: "every-node" | "once-in-all-nodes";
  readonly run: () => Promise<void>;
};

/** @returns a function that stops all of them and resolves when none runs any more. */
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
