/**
 * `npm run bench`: what a call through the product costs, beside nginx and the bare upstream.
 * Writes `docs/performance.md` and its picture. `-- --quick` takes two minutes and writes to
 * `data/bench/`; `-- --case <name>` runs one part; `-- --rows 1000000` shortens the long log.
 */

import { bunBinary, environmentWithBun, root } from "./bun.mjs";
import { ensureBundle } from "./build.mjs";
import { apart, endLike, endWithNpm, runChild } from "./child.mjs";
import { ensureInstalled } from "./install.mjs";
import { nginxProgram } from "./nginx.mjs";

endWithNpm();
if (process.platform !== "linux") {
  process.stderr.write("The benchmark reads CPU times from /proc, which only Linux has.\n");
  process.exit(1);
}
await ensureInstalled();
await ensureBundle();
const nginx = nginxProgram();
endLike(
  await runChild(
    bunBinary(),
    [
      "--no-env-file",
      "--no-orphans",
      "bench/main.ts",
      ...(nginx === "" ? [] : ["--nginx", nginx]),
      ...process.argv.slice(2),
    ],
    { cwd: root, env: environmentWithBun(), ...apart },
  ),
);
