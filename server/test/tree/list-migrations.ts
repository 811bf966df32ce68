/**
 * `npm run migrations` lists every file of `db/migrations/` in `index.ts`, and adds the checksum of
 * each new one to `checksums.ts`. What stands there already is not changed.
 */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Dialect } from "#db/dialect.ts";
import { checksumOf } from "#db/migration-checksum.ts";
import { checksums } from "#db/migrations/checksums.ts";
import type { Migration } from "#db/migrations/index.ts";

const folder = join(import.meta.dir, "../../src/db/migrations");
const names = readdirSync(folder)
  .filter((file) => /^\d{8}-\d{4}-[\w-]+\.ts$/.test(file))
  .map((file) => file.replace(/\.ts$/, ""))
  .toSorted();

/** `20261129-1953-seen-output` → `seenOutput`. */
function aliasOf(name: string): string {
  return name
    .slice("20261129-1953-".length)
    .replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());
}

const index = join(folder, "index.ts");
const imports = names.map((name) => `import * as ${aliasOf(name)} from "./${name}.ts";\n`).join("");
const lines = names.map((name) => `  "${name}": ${aliasOf(name)}.up,\n`).join("");
writeFileSync(
  index,
  readFileSync(index, "utf8")
    .replace(/(?:import \* as \w+ from "\.\/.*\.ts";\n)+/, imports)
    .replace(/(migrations: .* = \{\n)[\s\S]*?(\};)/, (_, from, until) => from + lines + until),
);

const sums: Record<string, Readonly<Record<Dialect, string>>> = { ...checksums };
for (const name of names.filter((each) => !(each in checksums))) {
  const { up }: { readonly up: Migration } = await import(join(folder, `${name}.ts`));
  sums[name] = {
    postgres: await checksumOf(up, "postgres"),
    sqlite: await checksumOf(up, "sqlite"),
  };
}
const entries = Object.keys(sums)
  .toSorted()
  .map((name) => {
    const { postgres = "", sqlite = "" } = sums[name] ?? {};
    return `  "${name}": {\n    postgres: "${postgres}",\n    sqlite: "${sqlite}",\n  },\n`;
  });
const list = join(folder, "checksums.ts");
writeFileSync(
  list,
  readFileSync(list, "utf8").replace(
    /(= \{\n)[\s\S]*(\};\n)$/,
    (_, from, until) => from + entries.join("") + until,
  ),
);
