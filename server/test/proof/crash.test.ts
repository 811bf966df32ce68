/** Runs alone: a kill proves something only while at least 64 calls are in flight. */

import { expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { runCrashes } from "./crash-rounds.ts";

const isLong = process.env["TOLLGATE_TEST_LONG"] === "1";
const kills = isLong ? 200 : 20;

for (const dialect of testDialects) {
  test(
    `${dialect}: every answer seen whole is charged exactly once, however often it is killed`,
    async () => {
      const seed = Math.floor(Math.random() * 2 ** 32);
      const lines: string[] = [];
      const print = (line: string): void => {
        lines.push(line);
        process.stderr.write(`${line}\n`);
      };
      await runCrashes({ dialect, kills, seed, print });
      expect(lines.filter((line) => line.includes(" kill ")).length).toBeGreaterThanOrEqual(kills);
    },
    kills * 30_000,
  );
}
