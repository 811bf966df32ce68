import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "tollgate-verdict-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs `npm test` on one file of these contents; its last line and its exit status. */
function judge(name: string, contents: string): { last: string | undefined; status: number } {
  const file = join(folder, `${name}.test.ts`);
  writeFileSync(file, contents);
  const script = join(import.meta.dir, "test.mjs");
  const { stdout, exitCode } = Bun.spawnSync(["node", script, "--unit", file], {
    // No test of these needs a server.
    env: { ...process.env, TOLLGATE_TEST_POSTGRES: "postgres://127.0.0.1:1/none" },
    stderr: "ignore",
  });
  return { last: stdout.toString().trimEnd().split("\n").at(-1), status: exitCode };
}

const passing = 'import { test } from "bun:test"; test("it", () => {});';

describe("the last line counts as failed, and so does the exit status", () => {
  test("a test that fails", () => {
    const failing = `${passing} test("not", () => { throw new Error("no"); });`;
    expect(judge("failing", failing)).toEqual({ last: "1 passed, 1 failed", status: 1 });
  });

  test("a file that cannot be loaded", () => {
    const broken = `import "./nowhere.ts"; ${passing}`;
    expect(judge("broken", broken)).toEqual({ last: "0 passed, 1 failed", status: 1 });
  });

  test("a run without a test", () => {
    expect(judge("empty", "")).toEqual({ last: "0 passed, 1 failed", status: 1 });
  });

  test("a run that ends itself in the middle", () => {
    const quitting = `${passing} test("quit", () => process.exit(0));`;
    expect(judge("quitting", quitting).status).toBe(1);
  });
});

test("a run in which all pass succeeds", () => {
  expect(judge("passing", passing)).toEqual({ last: "1 passed, 0 failed", status: 0 });
});

test("no folder of tests is left out of a run", () => {
  const folder = join(import.meta.dir, "../server/test");
  const script = readFileSync(join(import.meta.dir, "test.mjs"), "utf8");
  const withTests = readdirSync(folder).filter(
    (name) =>
      name.endsWith(".test.ts") ||
      (!name.includes(".") &&
        readdirSync(join(folder, name)).some((file) => file.endsWith(".test.ts"))),
  );
  expect(withTests).not.toBeEmpty();
  expect(withTests.filter((name) => !script.includes(`"server/test/${name}"`))).toEqual([]);
});
