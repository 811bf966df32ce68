/**
 * Follows the imports of the console from its start, and finds modules that name a text of an area
 * that nothing on the way to them has loaded: a browser would show the key in place of the text.
 * Component tests cannot see this, because they load the texts of all areas.
 */

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { areas } from "./areas.ts";

const source = join(import.meta.dir, "..");

/** Modules that name texts of an area without showing them unless it is loaded, and why. */
const loadedElsewhere = new Set([
  "app/ask-owned.tsx: shell", // only changes in screens that stand in the shell ask
  "app/routing/NotFoundScreen.tsx: shell", // stands in the shell
  "features/security/SecurityScreen.tsx: account", // stands in the account screen
  "features/sign-in/oauth.api.ts: entry", // only `OauthScreen` calls the function that does
  "widgets/help/terms.ts: help", // `HelpOn` loads them with the window that shows them
  "widgets/money/entry-look.tsx: entries", // what its callers need it for has such texts
]);

type Module = {
  /** Modules that it imports or loads without more texts. */
  readonly next: readonly string[];
  /** Modules that it loads with the texts of areas. */
  readonly withAreas: readonly { readonly path: string; readonly loads: readonly string[] }[];
  /** Areas of which it names texts. */
  readonly named: readonly string[];
};

const loading = /((?:withTexts\(\s*"\w+",\s*)+)import\("([^"]+)"\)/g;

function readModule(path: string): Module {
  const text = readFileSync(path, "utf8").replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "");
  const rest = text.replaceAll(loading, "");
  const imports = /^(?:import|export) (?!type )[^;]*?from "([^"]+)"|\bimport\(?\s*"([^"]+)"/gm;
  return {
    next: [...rest.matchAll(imports)].flatMap(([, named, bare]) =>
      resolve(path, named ?? bare ?? ""),
    ),
    withAreas: [...text.matchAll(loading)].flatMap(([, calls = "", to = ""]) =>
      resolve(path, to).map((found) => ({
        path: found,
        loads: [...calls.matchAll(/"(\w+)"/g)].map(([, area = ""]) => area),
      })),
    ),
    named: [
      ...new Set([...rest.matchAll(/["`](\w+)\.[a-zA-Z]/g)].map(([, area = ""]) => area)),
    ].filter((area) => area in areas),
  };
}

/** Returns the path of a module of the console; empty: it is another package's, or no code. */
function resolve(from: string, to: string): string[] {
  const path = to.startsWith("#") ? join(source, to.slice(1)) : join(dirname(from), to);
  return /^[#.].*\.tsx?$/.test(to) && existsSync(path) ? [path] : [];
}

test("no part of the console is opened before the texts that it shows", () => {
  const modules = new Map<string, Module>();
  const visited = new Set<string>();
  const missing = new Set<string>();
  const waiting = [{ path: join(source, "main.tsx"), loaded: [] as readonly string[] }];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const { path, loaded } = at;
    const visit = `${path} ${loaded.join()}`;
    if (visited.has(visit) || path.startsWith(import.meta.dir)) continue;
    visited.add(visit);
    const module = modules.get(path) ?? readModule(path);
    modules.set(path, module);
    for (const area of module.named) {
      if (!loaded.includes(area)) missing.add(`${relative(source, path)}: ${area}`);
    }
    waiting.push(...module.next.map((next) => ({ path: next, loaded })));
    for (const { path: next, loads } of module.withAreas) {
      waiting.push({ path: next, loaded: [...new Set([...loaded, ...loads])].toSorted() });
    }
  }
  expect(modules.size).toBeGreaterThan(500);
  expect([...missing].filter((found) => !loadedElsewhere.has(found))).toEqual([]);
  expect([...loadedElsewhere].filter((known) => !missing.has(known))).toEqual([]);
});
