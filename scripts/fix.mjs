/** `npm run fix` formats every file and fixes what the linter can fix by itself. */

import { runTool } from "./checks.mjs";
import { ensureInstalled } from "./install.mjs";

await ensureInstalled();
const lint = await runTool("oxlint", ["--type-aware", "--fix"]);
const format = await runTool("oxfmt", []);
process.exitCode = lint.fault === null && format.fault === null ? 0 : 1;
