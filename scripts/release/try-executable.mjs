/** Starts an executable where this machine can, and says what of it worked. */

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Programs that run executables of other processors, by target. */
const emulators = {
  "linux-arm64": "qemu-aarch64-static",
  "linux-arm64-musl": "qemu-aarch64-static",
};

/** The folders in which an emulator finds the libraries of a target, if somebody put them there. */
const libraries = { "linux-arm64": "/usr/aarch64-linux-gnu", "linux-arm64-musl": "" };

/** How long a start may take, in milliseconds: an emulator is slow. */
const startMaxMs = 240_000;

/**
 * Runs an executable: its version, a first start with a root account, whose password the hashing
 * process has to hash, and a sign-in, for which it has to verify it.
 *
 * @param {string} file
 * @param {import("./targets.mjs").Target} target
 * @returns {Promise<string>} what was tried
 */
export async function tryExecutable(file, target) {
  const prefix = prefixOf(target);
  if (typeof prefix === "string") return `built; not run (${prefix})`;
  const [command, ...args] = [...prefix, file];
  const version = spawnSync(command, [...args, "--version"], { encoding: "utf8" });
  if (version.status !== 0) return `built; does not start here: ${firstLine(version.stderr)}`;
  const folder = mkdtempSync(join(tmpdir(), "tollgate-try-"));
  try {
    if (prefix.length > 0) return tryEmulated(command, args);
    const fault = await trySignIn(command, args, folder);
    return fault === "" ? "run: starts, hashes a password, signs in" : `run: ${fault}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Under an emulator of processes a program cannot start another one of its kind, unless the kernel
 * knows the emulator (binfmt_misc): the child ends with 127, and the gateway says that its hashing
 * process ended. So the runtime in the executable hashes a password by itself.
 *
 * @param {string} command
 * @param {readonly string[]} args
 */
function tryEmulated(command, args) {
  const code = `const hash = Bun.password.hashSync("x", { algorithm: "argon2id", memoryCost: 65536, timeCost: 2 });
    if (!Bun.password.verifySync("x", hash)) process.exit(1);`;
  const env = { PATH: process.env["PATH"], BUN_BE_BUN: "1" };
  const { status } = spawnSync(command, [...args, "-e", code], { env, timeout: startMaxMs });
  const isHashed = status === 0 ? "hashes a password" : "cannot hash a password";
  return `run in an emulator: says its version, ${isHashed} in one process`;
}

/**
 * @param {import("./targets.mjs").Target} target
 * @returns {string | string[]} why it cannot be run here; or what to put in front of it
 */
function prefixOf(target) {
  const [system, cpu, libc] = target.split("-");
  if (system !== process.platform) return `this is ${process.platform}`;
  if (cpu === process.arch) {
    const loader = "/lib/ld-musl-x86_64.so.1";
    return libc === "musl" && !existsSync(loader) ? "there is no musl here" : [];
  }
  const emulator = Object.hasOwn(emulators, target)
    ? emulators[/** @type {keyof typeof emulators} */ (target)]
    : undefined;
  if (emulator === undefined || spawnSync(emulator, ["--version"]).status !== 0) {
    return `this is ${process.arch}, and there is no emulator`;
  }
  const folder = libraries[/** @type {keyof typeof libraries} */ (target)];
  if (folder === "" || !existsSync(folder)) return `there are no libraries of ${cpu} here`;
  return [emulator, "-L", folder];
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} folder
 * @returns {Promise<string>} what did not work; empty: nothing
 */
async function trySignIn(command, args, folder) {
  const account = { username: "root", password: "try this executable" };
  const child = spawn(command, args, {
    env: {
      PATH: process.env["PATH"],
      PORT: "0",
      TOLLGATE_DATA_DIR: folder,
      TOLLGATE_ROOT_USERNAME: account.username,
      TOLLGATE_ROOT_PASSWORD: account.password,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  const ended = new Promise((resolve) => void child.once("exit", resolve));
  try {
    const origin = await new Promise((resolve) => {
      const late = setTimeout(() => resolve(""), startMaxMs);
      const read = (/** @type {Buffer} */ chunk) => {
        said += chunk.toString();
        const [, found] = /Tollgate is at (http:\S+)/.exec(said) ?? [];
        if (found !== undefined) resolve(found);
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      void ended.then(
        () => resolve(""),
        () => resolve(""),
      );
      late.unref();
    });
    if (origin === "") return `does not start: ${firstLine(said)}`;
    const answer = await fetch(`${origin}/api/user/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(account),
      signal: AbortSignal.timeout(startMaxMs),
    });
    const told = /** @type {{ success?: boolean, message?: string }} */ (await answer.json());
    return told.success === true ? "" : `starts, but cannot sign in: ${told.message}`;
  } catch (error) {
    return `starts, but does not answer: ${String(error)}; ${firstLine(said)}`;
  } finally {
    child.kill("SIGINT");
    const killed = setTimeout(() => child.kill("SIGKILL"), 20_000);
    await ended;
    clearTimeout(killed);
  }
}

/** @param {string} text */
function firstLine(text) {
  return text.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
}

/** Whether a file is an executable of a platform, by its first bytes. @param {string} file */
export function kindOf(file) {
  const head = readFileSync(file).subarray(0, 20);
  if (head.subarray(0, 4).toString("latin1") === "\x7fELF") {
    return head.readUInt16LE(18) === 183 ? "linux-arm64" : "linux-x64";
  }
  if (head.subarray(0, 2).toString("latin1") === "MZ") return "windows-x64";
  if (head.readUInt32LE(0) === 0xfeedfacf) {
    return head.readUInt32LE(4) === 0x0100000c ? "darwin-arm64" : "darwin-x64";
  }
  return "unknown";
}
