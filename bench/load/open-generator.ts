import { join } from "node:path";
import type { LoadJob, LoadResult } from "./load-job.ts";

const program = join(import.meta.dir, "generator.ts");

/** A load generator that runs in a process of its own. */
export type Generator = {
  readonly pid: number;
  /** Runs one job at a time. @throws Error when the process ended. */
  run(job: LoadJob): Promise<LoadResult>;
  stop(): Promise<void>;
};

export function openGenerator(): Generator {
  const child = Bun.spawn([process.execPath, "--no-env-file", program], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const decoder = new TextDecoder();
  const reader = child.stdout.getReader();
  let text = "";

  async function readLine(): Promise<string> {
    for (;;) {
      const end = text.indexOf("\n");
      if (end >= 0) {
        const line = text.slice(0, end);
        text = text.slice(end + 1);
        return line;
      }
      const { value, done } = await reader.read();
      if (done) throw new Error("the load generator ended");
      text += decoder.decode(value, { stream: true });
    }
  }

  return {
    pid: child.pid,
    async run(job) {
      void child.stdin.write(`${JSON.stringify(job)}\n`);
      await child.stdin.flush();
      // Safe cast: `generator.ts` wrote the line.
      return JSON.parse(await readLine()) as LoadResult;
    },
    async stop() {
      await child.stdin.end();
      await child.exited;
    },
  };
}
