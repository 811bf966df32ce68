/** Timed work of this process: never two runs of one job at a time, and a failure waits a turn. */

import type { Logger } from "#base/logger.ts";

export type Job = {
  readonly name: string;
  readonly everyMs: number;
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
