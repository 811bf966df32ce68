/**
 * Runs a command with a temporary PostgreSQL server: `node scripts/postgres.mjs -- bun test
 * server/src/modules/ledger`.
 *
 * The command finds the URL of the server in TOLLGATE_TEST_POSTGRES. When that is set already, the
 * command gets that server and none is started.
 *
 * For tests, `--standby <port>` runs a standby of the server at that port, and `--program pg_dump …`
 * runs a program of PostgreSQL.
 */

import { spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chownSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { environmentWithBun, isStarted, root } from "./bun.mjs";
import { endLike, runChild } from "./child.mjs";
import { ensureInstalled } from "./install.mjs";
import { memoryFolder } from "./memory.mjs";
import { freePort } from "./programs/free-port.mjs";
import { postgresProgram, postgresPrograms } from "./programs/postgres.mjs";

/** How long the server may take to start. A slow machine needs a few seconds. */
const startMaxMs = 60_000;

/**
 * Starts a server, calls `use` with the URL of its maintenance database, and stops the server
 * however `use` ends, even when this process is killed.
 *
 * @template Result
 * @param {(url: string) => Promise<Result>} use
 * @param {{ readonly syncs?: boolean }} [options] `syncs`: commits wait for the disk, as in
 *   production. A measurement and a long run want that. Tests do without, because none of them cuts
 *   the power, and each database that a test drops would wait for the disk, too. Then the databases
 *   are in memory, where the system has a folder for that: the files of a database are many.
 * @returns {Promise<Result>}
 */
export async function withPostgres(use, { syncs = false } = {}) {
  const given = process.env["TOLLGATE_TEST_POSTGRES"];
  if (given !== undefined && given !== "") return await use(given);
  const { url, stop } = await startPostgres(syncs);
  try {
    return await use(url);
  } finally {
    await stop();
  }
}

/** @param {boolean} syncs */
async function startPostgres(syncs) {
  const programs = postgresPrograms();
  const owner = serverUser();
  const sync = process.env["TOLLGATE_TEST_FSYNC"] ?? (syncs ? "on" : "off");
  // A short path, because the server's socket lies in it and a socket's path has at most 107 bytes.
  // The user who runs the server must be able to enter it.
  const onDisk = owner === undefined ? tmpdir() : "/tmp";
  const parent = sync === "off" ? (memoryFolder() ?? onDisk) : onDisk;
  const folder = mkdtempSync(join(parent, "tollgate-postgres-"));
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  initialise(join(programs, "initdb"), { folder, owner, sync });
  const port = await freePort();
  const stop = await startServer(programs, { folder, owner, port });
  return { url: `postgres://tollgate@127.0.0.1:${port}/postgres`, stop };
}

/**
 * Starts a server on the data in `folder`, and waits until it answers.
 *
 * @param {string} programs
 * @param {object} cluster
 * @param {string} cluster.folder
 * @param {{ uid: number, gid: number } | undefined} cluster.owner
 * @param {number} cluster.port
 * @returns {Promise<() => Promise<void>>} stops the server and removes its files
 */
async function startServer(programs, { folder, owner, port }) {
  const log = openSync(join(folder, "log"), "a");
  const server = spawn(join(programs, "postgres"), ["-D", join(folder, "data")], {
    cwd: folder,
    stdio: ["ignore", log, log],
    // Keeps PostgreSQL out of the terminal's process group, so that Ctrl-C ends the tests before
    // their database.
    detached: true,
    env: { ...process.env, PGPORT: String(port) },
    ...owner,
  });
  const guard = guardServer(server, folder);
  const stop = async () => {
    const closed = new Promise((resolve) => void guard.once("close", resolve));
    guard.stdin.end();
    await closed;
  };
  try {
    await answering(server, folder);
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

/**
 * Returns the user that the server has to run as: PostgreSQL refuses to run as root, so it then
 * runs as the user of its packages, or as nobody.
 *
 * @returns {{ uid: number, gid: number } | undefined}
 */
function serverUser() {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  const line = ["postgres", "nobody"]
    .map((name) => users.find((user) => user.startsWith(`${name}:`)))
    .find((user) => user !== undefined);
  const [, , uid, gid] = line?.split(":") ?? [];
  if (uid === undefined || gid === undefined) throw new Error("no user to run PostgreSQL as");
  return { uid: Number(uid), gid: Number(gid) };
}

/**
 * Creates the folder of the databases. They sort by language, as in production and unlike SQLite,
 * so that an order which a query does not state differs between the two.
 *
 * @param {string} initdb
 * @param {object} cluster
 * @param {string} cluster.folder
 * @param {{ uid: number, gid: number } | undefined} cluster.owner
 * @param {string} cluster.sync
 */
function initialise(initdb, { folder, owner, sync }) {
  const options = ["--username=tollgate", "--auth=trust", "--encoding=UTF8", "--no-sync"];
  const order = ["--locale=C", "--locale-provider=icu", "--icu-locale=en-US"];
  const { status, stdout, stderr } = spawnSync(
    initdb,
    ["-D", join(folder, "data"), ...options, ...order],
    { cwd: folder, encoding: "utf8", ...owner },
  );
  if (status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`initdb failed:\n${stdout}${stderr}`);
  }
  writeFileSync(
    join(folder, "data/postgresql.auto.conf"),
    [
      "listen_addresses = '127.0.0.1'",
      `unix_socket_directories = '${folder}'`,
      "max_connections = 200",
      `fsync = ${sync}`,
      "log_min_messages = fatal",
      "",
    ].join("\n"),
  );
}

/**
 * Starts a shell that waits for the end of its input, then stops the server and removes its files.
 * The input ends when this process closes it, or dies in whatever way.
 *
 * @param {import("node:child_process").ChildProcess} server
 * @param {string} folder
 */
function guardServer(server, folder) {
  const script = `
    trap '' HUP INT QUIT TERM
    cat >/dev/null
    kill -QUIT "$1" 2>/dev/null
    turns=100
    while [ $turns -gt 0 ] && kill -0 "$1" 2>/dev/null; do sleep 0.05; turns=$((turns - 1)); done
    rm -rf "$2"`;
  return spawn("sh", ["-c", script, "guard", String(server.pid), folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
}

/**
 * Waits until the server answers. Throws with its log if it ended or takes too long.
 *
 * @param {import("node:child_process").ChildProcess} server
 * @param {string} folder
 */
async function answering(server, folder) {
  const endMs = Date.now() + startMaxMs;
  while (Date.now() < endMs && server.exitCode === null) {
    await sleep(20);
    if (["ready", "standby"].includes(stateOf(folder) ?? "")) return;
  }
  throw new Error(`PostgreSQL did not start:\n${readFileSync(join(folder, "log"), "utf8")}`);
}

/**
 * Returns the state of the server, which is the eighth line of postmaster.pid. The file is missing
 * at first.
 *
 * @param {string} folder
 */
function stateOf(folder) {
  try {
    return readFileSync(join(folder, "data/postmaster.pid"), "utf8").split("\n")[7]?.trim();
  } catch {
    return undefined;
  }
}

/**
 * Runs a standby of the server at a port of this machine. It prints its own port when it follows the
 * primary. A line on the standard input promotes it, which it answers by a line; the end of the
 * input stops it and removes its files.
 *
 * @param {string} primaryPort
 */
async function runStandby(primaryPort) {
  const owner = serverUser();
  const parent = memoryFolder() ?? (owner === undefined ? tmpdir() : "/tmp");
  const folder = mkdtempSync(join(parent, "tollgate-standby-"));
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const run = (/** @type {string} */ name, /** @type {readonly string[]} */ args) => {
    const options = { cwd: folder, encoding: /** @type {const} */ ("utf8"), ...owner };
    const { status, stdout, stderr } = spawnSync(postgresProgram(name), args, options);
    if (status !== 0) throw new Error(`${name} failed:\n${stdout}${stderr}`);
  };
  const data = join(folder, "data");
  try {
    const from = ["-h", "127.0.0.1", "-p", primaryPort, "-U", "tollgate"];
    run("pg_basebackup", [...from, "-D", data, "-X", "stream", "-c", "fast", "-R", "--no-sync"]);
    const settings = `unix_socket_directories = '${folder}'\n`;
    appendFileSync(join(data, "postgresql.auto.conf"), settings);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  const port = await freePort();
  const stop = await startServer(postgresPrograms(), { folder, owner, port });
  process.stdout.write(`${port}\n`);
  for await (const _ of createInterface({ input: process.stdin })) {
    run("pg_ctl", ["promote", "-w", "-D", data]);
    process.stdout.write("promoted\n");
  }
  await stop();
}

/**
 * Runs a program of PostgreSQL to its end.
 *
 * @param {string} name
 * @param {readonly string[]} args
 */
function runProgram(name, args) {
  const { status } = spawnSync(postgresProgram(name), args, { stdio: "inherit" });
  process.exitCode = status ?? 1;
}

/** @param {readonly string[]} command */
async function runWithPostgres([program = "", ...args]) {
  await ensureInstalled();
  const env = environmentWithBun();
  const run = (/** @type {string} */ url) =>
    runChild(program, args, { cwd: root, env: { ...env, TOLLGATE_TEST_POSTGRES: url } });
  endLike(await withPostgres(run));
}

if (isStarted(import.meta.url)) {
  const [how, command, ...args] = process.argv.slice(2);
  if (command === undefined || !["--", "--program", "--standby"].includes(how ?? "")) {
    process.stderr.write("Usage: node scripts/postgres.mjs -- <command>\n");
    process.exit(2);
  }
  try {
    if (how === "--standby") await runStandby(command);
    else if (how === "--program") runProgram(command, args);
    else await runWithPostgres([command, ...args]);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
