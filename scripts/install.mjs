/** Brings `node_modules` to what the lock file says: nothing when it is, `npm ci` otherwise. */

import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./bun.mjs";
import { runChild } from "./child.mjs";

const marker = join(root, "node_modules/.tollgate-installed");

/** Installs unless done already. Ends the process when npm fails, after npm's own message. */
export async function ensureInstalled() {
  const wanted = fingerprint();
  if (existsSync(marker) && readFileSync(marker, "utf8") === wanted) return;
  process.stderr.write("Installing what package-lock.json names …\n");
  // Named one by one, because NODE_ENV=production would leave Bun itself out.
  const { command, args } = npm();
  const { code } = await runChild(
    command,
    [...args, "ci", "--ignore-scripts", "--include=dev", "--include=optional", "--loglevel=error"],
    // npm's count of packages is no part of the output of `npm test`.
    { cwd: root, stdio: ["ignore", 2, 2], shell: process.platform === "win32" },
  );
  if (code !== 0) {
    process.stderr.write("npm ci failed; nothing was started.\n");
    process.exit(code ?? 1);
  }
  writeFileSync(marker, wanted);
}

/** A `node_modules` carried to another kind of machine holds the wrong binaries. */
function fingerprint() {
  const lock = readFileSync(join(root, "package-lock.json"));
  return `${createHash("sha256").update(lock).digest("hex")} ${process.platform} ${process.arch}\n`;
}

/** The npm that started us, so that `npm start` needs no second one on the PATH. */
function npm() {
  const cli = process.env["npm_execpath"] ?? "";
  return cli.endsWith("npm-cli.js")
    ? { command: process.execPath, args: [cli] }
    : { command: "npm", args: [] };
}
