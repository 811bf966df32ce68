/**
 * `npm start` installs and builds what changed, then runs the server. Arguments
 * (`npm start -- --demo`) and signals go to the server, and its exit status is ours.
 */

import { ensureExecutable, executable } from "./build.mjs";
import { apart, endLike, endWithNpm, runChild } from "./child.mjs";
import { ensureInstalled } from "./install.mjs";

endWithNpm();
await ensureInstalled();
await ensureExecutable();
// With this option the server ends when `npm start` is killed.
const options = [process.env["BUN_OPTIONS"], "--no-orphans"].filter(Boolean).join(" ");
endLike(
  await runChild(executable, process.argv.slice(2), {
    ...apart,
    env: { ...process.env, BUN_OPTIONS: options },
  }),
);
