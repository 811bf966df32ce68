/** How much of the console a browser loads, in compressed bytes (gzip). */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test } from "@playwright/test";

const top = dirname(dirname(fileURLToPath(import.meta.url)));
const built = join(top, "dist/web");

/** In bytes. */
const limits = { signIn: 200_000, shell: 80_000, screen: 90_000, part: 200_000 };

type Entry = {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly css?: readonly string[];
};

const manifest = JSON.parse(readFileSync(join(built, ".vite/manifest.json"), "utf8")) as Record<
  string,
  Entry
>; // written by the build

/** The files that must be loaded before anybody can sign in. */
const signIn = filesOf(["index.html", sourceOf(/\/LoginScreen\.tsx$/), sourceOf(/\/zh\.ts$/)]);

/** The files loaded after that: menus, dialogs and toasts around every screen. */
const shell = filesOf(["index.html", sourceOf(/\/ConsoleShell\.tsx$/), sourceOf(/\/zh\.ts$/)]);

test("sign-in is light, and little more is loaded while the user types", () => {
  expect(weigh(signIn), listOf(signIn)).toBeLessThanOrEqual(limits.signIn);
  const added = [...shell].filter((file) => !signIn.has(file));
  expect(added).not.toEqual([]);
  expect(weigh(added), listOf(added)).toBeLessThanOrEqual(limits.shell);
});

test("a screen adds little to that", () => {
  // The screens that the router loads; parts that they load later are weighed below.
  const text = readFileSync(join(top, "web/src/app/screens.ts"), "utf8");
  const screens = [...text.matchAll(/import\("(?:#|\.\/)(\S+Screen\.tsx)"\)/g)].map(
    ([, path = ""]) => sourceOf(new RegExp(`/${path}$`)),
  );
  expect(screens).not.toContain("");
  expect(screens.length).toBeGreaterThan(2);
  for (const screen of screens) {
    const added = [...filesOf([screen])].filter((file) => !shell.has(file) && !signIn.has(file));
    expect(weigh(added), `${screen}\n${listOf(added)}`).toBeLessThanOrEqual(limits.screen);
  }
});

test("no part that is loaded on demand is heavy", () => {
  const lazy = new Set(
    Object.values(manifest).flatMap(({ dynamicImports = [] }) => dynamicImports),
  );
  expect(lazy.size).toBeGreaterThan(0);
  for (const part of lazy) {
    const added = [...filesOf([part])].filter((file) => !shell.has(file) && !signIn.has(file));
    expect(weigh(added), part).toBeLessThanOrEqual(limits.part);
  }
});

function sourceOf(name: RegExp): string {
  return Object.keys(manifest).find((source) => name.test(source)) ?? "";
}

/** The files a browser needs before it can run these. */
function filesOf(sources: readonly string[]): Set<string> {
  const files = new Set<string>();
  const visit = (source: string): void => {
    const entry = manifest[source];
    if (entry === undefined || files.has(entry.file)) return;
    files.add(entry.file);
    for (const style of entry.css ?? []) files.add(style);
    for (const imported of entry.imports ?? []) visit(imported);
  };
  for (const source of sources) visit(source);
  return files;
}

function sizeOf(file: string): number {
  return gzipSync(readFileSync(join(built, file)), { level: 9 }).length;
}

function weigh(files: Iterable<string>): number {
  return [...files].reduce((sum, file) => sum + sizeOf(file), 0);
}

function listOf(files: Iterable<string>): string {
  return [...files].map((file) => `${sizeOf(file)} ${file}`).join("\n");
}
