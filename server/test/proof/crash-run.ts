/**
 * The crash proof by hand, for any number of kills:
 * `node scripts/postgres.mjs -- bun server/test/proof/crash-run.ts --kills 200 --dialect postgres`.
 */

import { parseArgs } from "node:util";
import { runCrashes } from "./crash-rounds.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "10" },
    dialect: { type: "string", default: "sqlite" },
    seed: { type: "string", default: String(Date.now() % 2 ** 32) },
  },
});
const { dialect } = values;
if (dialect !== "sqlite" && dialect !== "postgres") throw new Error(`no dialect: ${dialect}`);
const print = (line: string): void => void process.stdout.write(`${line}\n`);
await runCrashes({ dialect, kills: Number(values.kills), seed: Number(values.seed), print });
print("0 violations");
