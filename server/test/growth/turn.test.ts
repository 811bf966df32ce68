/**
 * One turn of the relaying thread stays short, whatever a body or an answer holds: the largest body
 * of each family that is taken is read and translated, and the longest answer that does not go to
 * another thread. It is judged by the processor time of a child, as a machine
 * takes that does a piece of known work in a known time (`slowness.ts`).
 */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { isLong } from "#test/proof/size.ts";
import { isTooLong } from "./turn-limits.ts";
import type { Turn } from "./turn.child.ts";

const testMaxMs = isLong ? 3_600_000 : 900_000;

test(
  "one turn of the relaying thread is short for the largest body and answer of each family",
  async () => {
    const child = Bun.spawn({
      cmd: [
        process.execPath,
        "--no-env-file",
        join(import.meta.dir, "turn.child.ts"),
        isLong ? "long" : "short",
      ],
      stdout: "pipe",
      stderr: "inherit",
    });
    const output = await new Response(child.stdout).text();
    // Safe cast: `turn.child.ts` writes these lines.
    const turns = output
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Turn);

    expect(await child.exited).toBe(0);
    expect(turns.length).toBeGreaterThan(300);
    expect(turns.filter(isTooLong)).toEqual([]);
  },
  testMaxMs,
);
