import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failedJourneys, tellFailures } from "./failures.mjs";

const folder = mkdtempSync(join(tmpdir(), "tollgate-verdict-"));
afterAll(() => rmSync(folder, { recursive: true }));

type Verdict = {
  /** Line of standard output. */
  last: string | undefined;
  status: number;
};

/** Runs `npm test` on one file of these contents. */
function judge(name: string, contents: string): Verdict {
  const { stdout, exitCode } = run(name, contents);
  return { last: stdout.toString().trimEnd().split("\n").at(-1), status: exitCode };
}

function run(name: string, contents: string) {
  const file = join(folder, `${name}.test.ts`);
  writeFileSync(file, contents);
  const script = join(import.meta.dir, "test.mjs");
  return Bun.spawnSync(["node", script, "--unit", file], {
    // No test of these needs a server.
    env: { ...process.env, TOLLGATE_TEST_POSTGRES: "postgres://127.0.0.1:1/none" },
  });
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

describe("what failed is told once more at the end, where somebody looks first", () => {
  test("a test among others, with its reason and its file", () => {
    const others = Array.from({ length: 50 }, (_, i) => `test("other ${i}", () => {});`).join("\n");
    const failing = `${passing}\n${others}\ntest("the one", () => {\nthrow new Error("broken wheel");\n});\n${others}`;
    const end = run("among-others", failing).stderr.toString().split("== what failed\n")[1] ?? "";
    expect(end).toContain("among-others.test.ts:");
    expect(end).toContain("broken wheel");
    expect(end).toContain("(fail) the one");
    expect(end.match(/\(fail\)/g)).toHaveLength(1);
    expect(end).not.toContain("(pass)");
  });

  test("a journey in a folder of suites, by file and line", () => {
    const spec = (title: string, ok: boolean) => ({
      file: "tokens.spec.ts",
      line: 7,
      title,
      ok,
      tests: [
        {
          projectName: "phone",
          results: [{ errors: ok ? [] : [{ message: "\u001b[31mno button\u001b[39m" }] }],
        },
      ],
    });
    const report = { suites: [{ suites: [{ specs: [spec("one", true), spec("two", false)] }] }] };
    expect(tellFailures(failedJourneys(report))).toBe(
      "\n== what failed\ne2e/tokens.spec.ts:7 two (phone)\nno button\n\n",
    );
  });

  test("nothing is told where nothing failed", () => {
    expect(run("silent", passing).stderr.toString()).not.toContain("what failed");
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
