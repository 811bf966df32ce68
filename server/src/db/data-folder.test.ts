import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFolderWarning } from "./data-folder.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-folder-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("an open folder is warned of as far as it holds what others must not read or change", () => {
  const warned = (mode: number) => {
    chmodSync(folder, mode);
    return {
      sqlite: openFolderWarning(folder, "sqlite"),
      postgres: openFolderWarning(folder, "postgres"),
    };
  };
  expect(warned(0o700)).toEqual({ sqlite: null, postgres: null });
  const readable = warned(0o755);
  expect(readable.sqlite).toContain("(mode 755), where the database and the secret key are");
  expect(readable.postgres).toBeNull();
  const writable = warned(0o777).postgres ?? "";
  expect(writable).toContain("can change the files in");
  expect(writable).not.toContain("secret");
});
