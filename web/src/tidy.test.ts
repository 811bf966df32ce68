/**
 * Properties of the console's sources that neither the compiler nor the linter can see. When one
 * fails, the message says which file to touch.
 */

import "#testing/dom.ts";
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { screens } from "#app/screens.ts";
import { en } from "#i18n/en.ts";
import { zh } from "#i18n/zh.ts";

function readSources(pattern: string): { path: string; text: string }[] {
  const paths = [...new Bun.Glob(pattern).scanSync(import.meta.dir)].filter(
    (path) => !/\.test\.|(^|\/)testing\//.test(path),
  );
  expect(paths, `files of ${pattern}`).not.toBeEmpty();
  return paths.map((path) => ({ path, text: readFileSync(join(import.meta.dir, path), "utf8") }));
}

// Each sorted list has only one place for a new line, so that two branches that add lines rarely
// conflict.
test("app/screens.ts lists each path once, sorted; so do the catalogues their areas", () => {
  const paths = screens.map(({ path }) => path);
  expect(paths).toEqual([...new Set(paths)].toSorted((a, b) => (a < b ? -1 : 1)));
  for (const catalogue of [zh, en]) {
    expect(Object.keys(catalogue)).toEqual(Object.keys(catalogue).toSorted());
  }
});

// A colour that a screen defines itself fits at most one of the two themes.
test("colours stand in ui/ only", () => {
  const names =
    "page|panel|sunken|field|hover|active|line|control|mark|ink|muted|faint|shade|ring|on-solid|" +
    "(accent|neutral|success|warning|danger|info)-(ink|soft|line|solid|hover)";
  const properties = "bg|text|border(-[trblxy])?|outline|ring|fill|stroke|divide|decoration|accent";
  const colour = new RegExp(`(?<![\\w-])(${properties})-(${names})(?![\\w-])`, "g");
  const literal = /#[0-9a-f]{6}\b|\b(rgb|hsl|oklch)\(/gi;
  const coloured = readSources("{app,features,widgets}/**/*.{ts,tsx}").flatMap(({ path, text }) =>
    [...text.matchAll(colour), ...text.matchAll(literal)].map(([found]) => `${path}: ${found}`),
  );
  expect(coloured).toEqual([]);
});

// The page's content security policy forbids each of these constructs, so a browser would refuse
// it.
test("nothing runs text as a script or writes HTML past the sanitiser", () => {
  const dangerous = /dangerouslySetInnerHTML|\.innerHTML\b|\beval\(|new Function\(|document\.write/;
  const found = readSources("**/*.{ts,tsx}").filter(({ text }) => dangerous.test(text));
  expect(found.map(({ path }) => path)).toEqual([]);
});

// Newer browsers return a promise from functions that scroll, and React calls what an effect returns.
test("no effect returns what a function that scrolls returns", () => {
  const returned = /use(?:Layout)?Effect\(\(\) => (?!void |\{)[^;]*\.scroll(?:By|IntoView|To)?\(/;
  const found = readSources("**/*.{ts,tsx}").filter(({ text }) => returned.test(text));
  expect(found.map(({ path }) => path)).toEqual([]);
});
