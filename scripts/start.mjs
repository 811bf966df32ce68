/**
 * `npm start`: installs and bundles what changed, then runs the server. Arguments go to the
 * server (`npm start -- --demo`), signals too, and its exit status is ours.
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
    // Settings come from the environment alone; and no server outlives a killed `npm start`.
    ["--no-env-file", "--no-orphans", bundledServer, ...process.argv.slice(2)],
    apart,
  ),
);
