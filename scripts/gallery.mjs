/**
 * `npm run gallery` shows every component of the console in every state, at the address it prints.
 * It needs no server. `?part=buttons&theme=dark&lang=en` shows one part. Arguments after `--` go to
 * Vite: `npm run gallery -- --port 5199`.
 */

import { bunBinary, root } from "./bun.mjs";
import { apart, endLike, endWithNpm, runChild } from "./child.mjs";
import { ensureInstalled } from "./install.mjs";

endWithNpm();
await ensureInstalled();
endLike(
  await runChild(
    bunBinary(),
    [
      "--bun",
      "node_modules/.bin/vite",
      "--config",
      "web/vite.config.ts",
      "--open",
      "/gallery.html",
      ...process.argv.slice(2),
    ],
    { cwd: root, ...apart },
  ),
);
