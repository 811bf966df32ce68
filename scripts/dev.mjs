/** `npm run dev`: the server from its sources, started again at every change. */

import { bunBinary, root } from "./bun.mjs";
import { apart, endLike, endWithNpm, runChild } from "./child.mjs";
import { ensureInstalled } from "./install.mjs";

endWithNpm();
await ensureInstalled();
endLike(
  await runChild(
    bunBinary(),
    ["--no-env-file", "--no-orphans", "--watch", "server/src/main.ts", ...process.argv.slice(2)],
    { cwd: root, ...apart },
  ),
);
