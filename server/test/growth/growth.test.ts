/**
 * No input of a client, an upstream or a console costs more than in proportion to its size: what
 * costs n² lets one caller stop everybody. Each group runs in a child of its own and is judged by
 * the processor time of the child, so the load of the machine does not count.
 */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { isLong } from "#test/proof/size.ts";
import { type Group, groupsOf } from "./groups.ts";
import type { Finding } from "./measure.ts";

/** How long one group may take, in milliseconds. A loop that never ends is found by it. */
const groupMaxMs = isLong ? 3_600_000 : 900_000;

for (const group of groupsOf({ isLong })) {
  test(
    `${group}: no input costs more than in proportion to its size`,
    async () => {
      const { findings, unended } = await run(group);

      expect(unended).toBe("");
      expect(findings.length).toBeGreaterThan(0);
      expect(findings.filter(({ fault }) => fault !== "").map(say)).toEqual([]);
    },
    groupMaxMs + 10_000,
  );
}

function say({ subject, family, fault, ms, bytes }: Finding): string {
  return `${subject}, ${family}: ${fault}, ${ms} ms for ${bytes} bytes`;
}

/** @returns what was measured, and the family that has begun and never ended; empty: none. */
async function run(group: Group) {
  const child = Bun.spawn({
    cmd: [
      process.execPath,
      "--no-env-file",
      join(import.meta.dir, "child.ts"),
      group,
      isLong ? "long" : "short",
    ],
    stdout: "pipe",
    stderr: "pipe",
  });
  const late = setTimeout(() => child.kill("SIGKILL"), groupMaxMs);
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  clearTimeout(late);
  // Safe casts: `child.ts` writes these lines.
  const lines = output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Finding | { readonly begun: string });
  const findings = lines.filter((line): line is Finding => "fault" in line);
  const last = lines.at(-1);
  const begun = last !== undefined && "begun" in last ? last.begun : "";
  return { findings, unended: code === 0 ? "" : `${begun} ${errors.slice(-1_000)}` };
}
