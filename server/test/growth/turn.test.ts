/**
 * One turn of the relaying thread stays short, whatever a body holds: the largest body of each family
 * that is taken is read and translated. It is judged by the processor time of a child, as a machine
 * takes that does a piece of known work in a known time (`slowness.ts`).
 */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { isLong } from "#test/proof/size.ts";
import type { Turn } from "./turn.child.ts";

const turnMs = 100;

/**
 * The most that a body may cost above one in plain words of the same size: 5 times, and as much again
 * for noise, because the plain one is over in a few milliseconds.
 */
const plainRatioMax = 10;

/** What costs less than this, in milliseconds, is not compared with a plain body. */
const comparedMs = turnMs / 2;

/**
 * Texts that are nothing but escapes cost this much a megabyte, in milliseconds: most of it is
 * `JSON.parse`, and it grows with the bytes alone. Only they cost more than a turn, above 3 MiB.
 */
const escapesMs = 30;
const megabyte = 1024 * 1024;

const testMaxMs = isLong ? 3_600_000 : 900_000;

test(
  "one turn of the relaying thread is short for the largest body of each family that is taken",
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
    expect(turns.length).toBeGreaterThan(100);
    expect(turns.filter(isTooLong)).toEqual([]);
  },
  testMaxMs,
);

function isTooLong({ bytes, ms, plainMs }: Turn): boolean {
  const megabytes = bytes / megabyte;
  if (ms > Math.max(turnMs, megabytes * escapesMs)) return true;
  return megabytes < 1 && ms > comparedMs && ms > plainMs * plainRatioMax;
}
