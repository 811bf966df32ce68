/**
 * The load generator, a separate process. It reads one `LoadJob` per line from standard input, runs
 * one after the other, writes one `LoadResult` per line, and ends when its input ends.
 */

import type { LoadJob } from "./load-job.ts";
import { runLoad } from "./run-load.ts";

for await (const line of console) {
  if (line === "") continue;
  // Safe cast: `open-generator.ts` wrote the line.
  const job = JSON.parse(line) as LoadJob;
  process.stdout.write(`${JSON.stringify(await runLoad(job))}\n`);
}
process.exit(0);
