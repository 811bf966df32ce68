/** What a command prints reaches a program that reads slowly whole, as in `tollgate … | gzip`. */

import { expect, test } from "bun:test";
import { ages, makeSource } from "#commands/import/testing/sources.ts";
import { executable, makeStartedHome } from "#test/gateway.ts";

const testMs = 120_000;

/** The rows of which the report says something: more than a pipe holds. */
const noted = 1_000;

test(
  "a command ends when all it has printed was read, also by a slow reader",
  async () => {
    const [age] = ages;
    if (age === undefined) throw new Error("there is no age");
    const source = makeSource(age);
    const home = await makeStartedHome("sqlite");
    try {
      for (let id = 1; id <= noted; id += 1) {
        source.insert("tokens", { id, user_id: 77, key: `key-${id}`, status: 1 });
      }
      const { PATH = "" } = process.env;
      const command = `"${executable}" import "${source.address}" --dry-run --json`;
      const child = Bun.spawn(["sh", "-c", `${command} | (sleep 1; cat)`], {
        env: { PATH, ...home.env },
        stdout: "pipe",
        stderr: "inherit",
      });
      const printed = await new Response(child.stdout).text();
      expect(printed.length).toBeGreaterThan(65_536);
      expect(JSON.parse(printed).faults).toHaveLength(noted);
    } finally {
      await source.remove();
      await home.remove();
    }
  },
  testMs,
);
