import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The longest that a movement may take, in milliseconds. */
const motionMaxMs = 200;

const tokens = read("ui/tokens.css");

test("movements take at most 200 ms, and no time for users who asked for less motion", () => {
  const reduced = /prefers-reduced-motion: reduce\) \{([\s\S]*?)\n\}/.exec(tokens)?.[1] ?? "";
  const full = durationsIn(tokens.replace(reduced, ""));
  expect(full.size).toBeGreaterThan(1);
  for (const [name, ms] of full) expect(ms, name).toBeLessThanOrEqual(motionMaxMs);
  expect([...durationsIn(reduced)]).toEqual([...full.keys()].map((name) => [name, 0]));
});

test("durations and easings stand in ui/tokens.css only", () => {
  const literal = /(?<![\w.#-])[\d.]+m?s(?![\w%-])|cubic-bezier|steps\(/g;
  const classes = /(?<![\w-])(duration|delay|ease|animate)-\[[^\]]+\]/g;
  const named = /(?<![\w-])(duration|delay)-\d+|(?<![\w-])ease-(in|out|linear)\b/g;
  const sources = [...filesOf("**/*.css"), ...filesOf("**/*.tsx"), "../index.html"];
  expect(sources.length).toBeGreaterThan(100);
  const found = sources
    .filter((path) => path !== "ui/tokens.css" && path !== celebration)
    .flatMap((path) => {
      const text = withoutComments(read(path));
      const patterns = path.endsWith(".css") ? [literal] : [classes, named];
      return patterns.flatMap((pattern) =>
        [...text.matchAll(pattern)].map(([found]) => `${path}: ${found}`),
      );
    });
  expect(found).toEqual([]);
});

/** The New Year's effect, which lasts as long as its caller says. */
const celebration = "ui/layout/Celebration.tsx";

test("only the New Year's effect moves something by script", () => {
  const moving = filesOf("**/*.{ts,tsx}").filter((path) =>
    /\.animate\(|behavior: "smooth"|startViewTransition/.test(read(path)),
  );
  expect(moving).toEqual([celebration]);
});

/** The durations of movements in a style sheet, by token, in milliseconds. */
function durationsIn(css: string): ReadonlyMap<string, number> {
  const found = css.matchAll(/--(motion(?:-\w+)?):\s*([\d.]+)(m?s);/g);
  return new Map(
    Array.from(found, ([, name = "", value, unit]) => [
      name,
      Number(value) * (unit === "s" ? 1_000 : 1),
    ]),
  );
}

function filesOf(pattern: string): readonly string[] {
  const all = [...new Bun.Glob(pattern).scanSync(join(import.meta.dir, ".."))];
  return all.filter((path) => !/\.test\.|(^|\/)testing\//.test(path));
}

function read(path: string): string {
  return readFileSync(join(import.meta.dir, "..", path), "utf8");
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "");
}
