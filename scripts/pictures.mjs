/** `npm run pictures` takes the screenshots in `docs/screens/`, with lively data. */

import { join } from "node:path";
import { root } from "./bun.mjs";
import { ensureBundle } from "./build.mjs";
import { endLike, endWithNpm, runChild } from "./child.mjs";
import { chromiumProgram } from "./chromium.mjs";
import { ensureInstalled } from "./install.mjs";

endWithNpm();
await ensureInstalled();
await ensureBundle();
endLike(
  await runChild(
    process.execPath,
    [
      join(root, "node_modules/@playwright/test/cli.js"),
      "test",
      "--config",
      "e2e/pictures.config.ts",
      ...process.argv.slice(2),
    ],
    { cwd: root, env: { ...process.env, TOLLGATE_TEST_CHROMIUM: chromiumProgram() } },
  ),
);
