import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failedJourneys, tellFailures } from "./failures.mjs";

const folder = mkdtempSync(join(tmpdir(), "tollgate-verdict-"));
afterAll(() => rmSync(folder, { recursive: true }));

type Verdict = {
  /** The last line of standard output. */
  last: string | undefined;
  status: number;
};

/**
 * Runs `npm test` on one file with these contents. Returns the last line of its output and its exit
 * status.
 */
function judge(name: string, contents: string): Verdict {
  const { stdout, exitCode } = run({ [name]: contents });
  return { last: stdout.toString().trimEnd().split("\n").at(-1), status: exitCode };
}

/**
 * Runs `npm test` on these files. Returns what it prints at its end about failures; "": nothing.
 */
function endOf(files: Readonly<Record<string, string>>): string {
  return run(files).stderr.toString().split("== what failed\n")[1] ?? "";
}

/**
 * Writes these test files and runs `npm test` on them.
 *
 * @param files contents by names.
 */
function run(files: Readonly<Record<string, string>>, flags: readonly string[] = []) {
  const paths = Object.entries(files).map(([name, contents]) => {
    const file = join(folder, `${name}.test.ts`);
    writeFileSync(file, contents);
    return file;
  });
  const script = join(import.meta.dir, "test.mjs");
  return Bun.spawnSync(["node", script, "--unit", ...flags, ...paths], {
    // No server listens at this URL, because these tests need none.
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

  test("a file that cannot be loaded, beside one that passes", () => {
    const { stdout, exitCode } = run({
      fine: passing,
      broken: `import "./nowhere.ts"; ${passing}`,
    });
    expect(stdout.toString()).toEndWith("1 passed, 1 failed\n");
    expect(exitCode).toBe(1);
  });

  test("a run that ends itself in the middle, even with success", () => {
    const quitting = `${passing} test("quit", () => process.exit(0));`;
    expect(judge("quitting", quitting)).toEqual({ last: "0 passed, 1 failed", status: 1 });
  });

  test("an error after the last test", () => {
    const late = `${passing} import { afterAll } from "bun:test"; afterAll(() => { throw new Error("late"); });`;
    expect(judge("late", late)).toEqual({ last: "1 passed, 1 failed", status: 1 });
  });
});

describe("what failed runs once more by itself, and only what fails again counts as failed", () => {
  const again = (files: Readonly<Record<string, string>>) => {
    const { exitCode, stderr, stdout } = run(files, ["--again"]);
    const last = stdout.toString().trimEnd().split("\n").at(-1);
    return { last, status: exitCode, said: stderr.toString() };
  };

  test("a test that passes then is named", () => {
    const mark = join(folder, "stalled-once");
    const stalling = `${passing} import { existsSync, writeFileSync } from "node:fs";
test("slow wheel", () => {
  if (existsSync("${mark}")) return;
  writeFileSync("${mark}", "");
  throw new Error("stood still");
});`;
    const { last, said, status } = again({ stalling });
    expect({ last, status }).toEqual({ last: "2 passed, 0 failed", status: 0 });
    const named = said.split("== failed at first, and passed when it ran again by itself\n")[1];
    expect(named).toContain("slow wheel");
    expect(named).toContain("stood still");
    expect(said).not.toContain("== what failed\n");
  });

  test("a test that fails again fails the run, beside one that passes then", () => {
    const mark = join(folder, "stalled-beside");
    const failing = `import { expect, test } from "bun:test"; import { existsSync, writeFileSync } from "node:fs";
test("flat wheel", () => expect(1).toBe(2));
test("slow wheel", () => {
  if (existsSync("${mark}")) return;
  writeFileSync("${mark}", "");
  throw new Error("stood still");
});`;
    const { last, said, status } = again({ "failing-again": failing });
    expect({ last, status }).toEqual({ last: "1 passed, 1 failed", status: 1 });
    expect(said.split("== what failed\n")[1]).toContain("flat wheel");
    expect(said.split("== what failed\n")[1]).not.toContain("slow wheel");
  });

  test("a file that cannot be loaded stays a failure", () => {
    const { last, status } = again({ lost: `import "./nowhere.ts"; ${passing}` });
    expect({ last, status }).toEqual({ last: "0 passed, 1 failed", status: 1 });
  });
});

test("tests that are skipped count neither as passed nor as failed", () => {
  const [skip, todo] = ["skip", "todo"];
  const skipping = `${passing} test.${skip}("not now", () => {}); test.${todo}("some day");`;
  expect(judge("skipping", skipping)).toEqual({ last: "1 passed, 0 failed", status: 0 });
});

describe("a run ends with what failed, because readers look there first", () => {
  test("a test among others, with its file, groups, line and reason", () => {
    const others = Array.from({ length: 50 }, (_, i) => `test("other ${i}", () => {});`).join("\n");
    const failing = `import { describe, test } from "bun:test";
${others}
describe("wheels & <axles>", () => describe("front", () => test('the "one"', () => {
throw new Error("broken <wheel>\\nsecond line");
})));
${others}`;
    const end = endOf({ "among-others": failing });
    expect(end).toMatch(/among-others\.test\.ts(:52)? wheels & <axles> > front > the "one"\n/);
    expect(end).toContain("among-others.test.ts:53");
    expect(end).toContain("Error: broken <wheel>\nsecond line\n");
    expect(end).not.toContain("other 1");
  });

  test("a comparison, with both values", () => {
    const failing = `import { expect, test } from "bun:test"; test("sum", () => expect(1 + 1).toBe(3));`;
    expect(endOf({ comparing: failing })).toContain("Expected: 3\nReceived: 2");
  });

  test("a file that cannot be loaded, with its reason", () => {
    const end = endOf({ fine: passing, "not-loaded": 'import "./nowhere.ts";' });
    expect(end).toContain("not-loaded.test.ts: no test of this file ran");
    expect(end).toContain("Cannot find module './nowhere.ts'");
  });

  test("a run that leaves no report, with its last words", () => {
    const quitting = `${passing} test("quit", () => { console.error("out of wheels"); process.exit(0); });`;
    expect(endOf({ speechless: quitting })).toContain("out of wheels");
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

  test("nothing where nothing failed", () => {
    expect(run({ silent: passing }).stderr.toString()).not.toContain("what failed");
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

test("a proof that says it runs alone says it where the runner looks, with the reason", () => {
  const folder = join(import.meta.dir, "../server/test/proof");
  const saying = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }))
    .filter(({ text }) => /runs? alone/i.test(text));
  const unseen = saying.filter(({ text }) => !/^\/\*\* Runs alone: \w+/.test(text));
  expect(saying).not.toBeEmpty();
  expect(unseen.map(({ name }) => name)).toEqual([]);
});
