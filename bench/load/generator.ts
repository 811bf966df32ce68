/**
 * The load generator, a process of its own: one `LoadJob` a line on standard input, one
 * `LoadResult` a line on standard output, one job after the other. Ends with its input.
 */

import type { LoadJob } from "./load-job.ts";
import { runLoad } from "./run-load.ts";

for await (const line of console) {
  if (line === "") continue;
  // Written by `open-generator.ts` of this very program.
  const job = JSON.parse(line) as LoadJob;
  process.stdout.write(`${JSON.stringify(await runLoad(job))}\n`);
}
process.exit(0);
