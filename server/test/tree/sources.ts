/** The sources of all workspaces as text, and the names they export. */

import { readFileSync } from "node:fs";
import { join, relative } from "node:path";

export type SourceFile = { readonly path: string; readonly text: string };

/** Reads the source files of the workspaces and scripts, tests included. */
export function readTree(top: string): SourceFile[] {
  const pattern = "{bench,contract,demo,e2e,scripts,server,web}/**/*.{mjs,ts,tsx}";
  return [...new Bun.Glob(pattern).scanSync({ cwd: top, absolute: true })]
    .map((path) => relative(top, path))
    .filter((path) => !/(^|\/)(node_modules|fixtures|dist)\//.test(path))
    .map((path) => ({ path, text: readFileSync(join(top, path), "utf8") }));
}

const declared =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|const|let|type|class|interface)\s+([\w$]+)/gm;
const listed = /^export\s+(?:type\s+)?\{([^}]*)\}\s*;/gm;

/** Returns the names of the functions, values and types that a file exports. */
export function exportedNames(text: string): string[] {
  const single = [...text.matchAll(declared)].map(([, name = ""]) => name);
  const lists = [...text.matchAll(listed)].flatMap(([, list = ""]) =>
    list.split(",").map(
      (part) =>
        part
          .trim()
          .split(/\s+as\s+/)
          .at(-1) ?? "",
    ),
  );
  return [...single, ...lists].filter((name) => name !== "");
}
