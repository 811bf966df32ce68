/** Finds exports that no other file imports, in all workspaces, types included. */

import { dirname, join } from "node:path";
import { exportedNames, type SourceFile } from "./sources.ts";

/** Where imports that begin with `#` lead, by the folder of the workspace that has them. */
const hashFolders: Readonly<Record<string, readonly (readonly [prefix: string, to: string])[]>> = {
  bench: [["#bench/", "bench/"]],
  e2e: [["#e2e/", "e2e/"]],
  server: [
    ["#test/", "server/test/"],
    ["#", "server/src/"],
  ],
  web: [["#", "web/src/"]],
};

/** The folders of workspaces that others import by a package name. */
const namedFolders = [
  ["@tollgate/contract/", "contract/src/"],
  ["@tollgate/demo/", "demo/src/"],
  ["@tollgate/server/", "server/"],
] as const;

/**
 * Find `import … from` and `export … from` (`froms`), and `import("…")` and `typeof import("…")`
 * (`dynamic`).
 */
const froms = /\b(?:import|export)\s+(?:type\s+)?([^;"'`]*?)\s*from\s*["']([^"']+)["']/g;
const dynamic = /\bimport\(\s*["']([^"']+)["']\s*\)/g;

/** Returns every export that no other file names, as `path name`, sorted. */
export function findUnusedExports(sources: readonly SourceFile[]): string[] {
  const used = new Map<string, Set<string>>();
  const use = (path: string, name: string): void => {
    used.set(path, (used.get(path) ?? new Set()).add(name));
  };
  for (const { path, text } of sources) {
    for (const [, clause = "", specifier = ""] of text.matchAll(froms)) {
      const target = resolveImport(path, specifier);
      if (target !== undefined) for (const name of importedNames(clause)) use(target, name);
    }
    for (const [, specifier = ""] of text.matchAll(dynamic)) {
      const target = resolveImport(path, specifier);
      // This test does not read which exports a dynamic import uses, so all of them count as used.
      if (target !== undefined) use(target, "*");
    }
  }
  return sources
    .flatMap(({ path, text }) => {
      const names = used.get(path) ?? new Set();
      return names.has("*")
        ? []
        : exportedNames(text)
            .filter((name) => !names.has(name))
            .map((name) => `${path} ${name}`);
    })
    .toSorted();
}

/**
 * Returns the imported names of a clause such as `{ a, type b, c as d }`; `*` for the whole module.
 */
function importedNames(clause: string): string[] {
  if (clause.includes("*")) return ["*"];
  const [, list = ""] = /\{([^}]*)\}/.exec(clause) ?? [];
  return list
    .split(",")
    .map((part) =>
      part
        .trim()
        .replace(/^type\s+/, "")
        .replace(/\s+as\s+.*/, ""),
    )
    .filter((name) => name !== "");
}

function resolveImport(from: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) return join(dirname(from), specifier);
  const [workspace = ""] = from.split("/");
  const folders = specifier.startsWith("#") ? (hashFolders[workspace] ?? []) : namedFolders;
  const found = folders.find(([prefix]) => specifier.startsWith(prefix));
  return found && found[1] + specifier.slice(found[0].length);
}
