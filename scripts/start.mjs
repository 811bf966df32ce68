/**
 * `npm start` installs and bundles what changed, then runs the server. Arguments
 * (`npm start -- --demo`) and signals go to the server, and its exit status is ours.
 */

import { bunBinary } from "./bun.mjs";
import { bundledServer, ensureBundle } from "./build.mjs";
import { apart, endLike, endWithNpm, runChild } from "./child.mjs";
import { ensureInstalled } from "./install.mjs";

endWithNpm();
await ensureInstalled();
await ensureBundle();
endLike(
  await runChild(
    bunBinary(),
    // With these flags Bun reads no `.env` file, because settings come from the environment only,
    // and the server ends when `npm start` is killed.
    ["--no-env-file", "--no-orphans", bundledServer, ...process.argv.slice(2)],
    apart,
  ),
);
