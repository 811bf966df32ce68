import { afterEach, beforeEach, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isInstalled } from "./install.mjs";

type Packages = Readonly<Record<string, object>>;

const wanted: Packages = {
  "": { name: "top", dependencies: { left: "1.0.0" } },
  web: { name: "@top/web" },
  "node_modules/@top/web": { resolved: "web", link: true },
  "node_modules/left": { version: "1.0.0", integrity: "sha512-left" },
  "node_modules/other-platform": { version: "2.0.0", integrity: "sha512-other", optional: true },
  "web/node_modules/left": { version: "3.0.0", integrity: "sha512-left3" },
};
const { "": _, "node_modules/other-platform": __, ...installed } = wanted;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-install-"));
  for (const path of Object.keys(installed)) mkdirSync(join(folder, path), { recursive: true });
  writeLock("package-lock.json", wanted);
  writeLock("node_modules/.package-lock.json", installed);
});
afterEach(() => rmSync(folder, { recursive: true }));

function writeLock(path: string, packages: Packages): void {
  writeFileSync(join(folder, path), JSON.stringify({ lockfileVersion: 3, packages }));
}

test("what npm ci has installed is not installed again", () => {
  expect(isInstalled(folder)).toBe(true);
});

test("a package of another version is installed", () => {
  const newer = { version: "1.0.1", integrity: "sha512-newer" };
  writeLock("package-lock.json", { ...wanted, "node_modules/left": newer });
  expect(isInstalled(folder)).toBe(false);
});

test("a package that is new in the lock file is installed", () => {
  writeLock("package-lock.json", { ...wanted, "node_modules/new": { version: "1.0.0" } });
  expect(isInstalled(folder)).toBe(false);
});

test("a package that is gone from the lock file is removed", () => {
  const { "web/node_modules/left": _gone, ...rest } = wanted;
  writeLock("package-lock.json", rest);
  expect(isInstalled(folder)).toBe(false);
});

test("a package whose folder was deleted is installed", () => {
  rmSync(join(folder, "web/node_modules"), { recursive: true });
  expect(isInstalled(folder)).toBe(false);
});

test("a folder without node_modules is installed", () => {
  rmSync(join(folder, "node_modules"), { recursive: true });
  expect(isInstalled(folder)).toBe(false);
});

test("npm writes its list as it is read here", () => {
  expect(isInstalled(join(import.meta.dir, ".."))).toBe(true);
});

test("a first start without a network says so while npm is still silent", async () => {
  const scripts = join(folder, "scripts");
  mkdirSync(scripts);
  for (const file of ["bun.mjs", "child.mjs", "install.mjs"]) {
    copyFileSync(join(import.meta.dir, file), join(scripts, file));
  }
  rmSync(join(folder, "node_modules"), { recursive: true });
  writeFileSync(
    join(scripts, "first.mjs"),
    'await (await import("./install.mjs")).ensureInstalled();',
  );
  // An npm that tries for minutes without a word.
  const npm = join(folder, "npm-cli.js");
  writeFileSync(npm, "setInterval(() => {}, 1_000);");
  const nowhere = { npm_config_registry: "http://127.0.0.1:9/", npm_execpath: npm };
  const env = { PATH: process.env["PATH"], ...nowhere };
  const child = spawn("node", [join(scripts, "first.mjs")], { env, detached: true });
  try {
    let said = "";
    for await (const part of child.stderr) {
      said += String(part);
      if (said.includes("cannot be reached")) break;
    }
    expect(said).toContain("http://127.0.0.1:9/");
    expect(child.exitCode).toBeNull();
  } finally {
    // Its npm, too.
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }
});
