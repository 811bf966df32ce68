/**
 * Runs a temporary MariaDB server for tests that import from one: `node scripts/mariadb.mjs`. It
 * prints the address of an empty database, and stops the server and removes its files when its input ends. The
 * product itself stores nothing in MariaDB or MySQL.
 */

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { memoryFolder } from "./memory.mjs";
import { canInstall, installPackages } from "./programs/apt.mjs";
import { freePort } from "./programs/free-port.mjs";

/** How long the server may take to start, in milliseconds. */
const startMaxMs = 60_000;

/** The empty database that the server has. */
const database = "oneapi";

function ensurePrograms() {
  if (has("mariadbd")) return;
  if (canInstall()) installPackages(["mariadb-server-core"]);
  if (has("mariadbd")) return;
  throw new Error(
    "The tests of imports need the programs of a MariaDB server (mariadbd).\n" +
      "No service has to run. On Debian and Ubuntu: sudo apt-get install mariadb-server-core",
  );
}

/** @param {string} program */
function has(program) {
  return spawnSync(program, ["--version"], { stdio: "ignore", env: programEnv() }).status === 0;
}

/** Debian has the server in a folder that is not on every user's PATH. */
function programEnv() {
  return { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/usr/local/sbin` };
}

/**
 * Whether the server says hello to a new connection, as it does before anything else.
 *
 * @param {number} port
 * @returns {Promise<boolean>}
 */
async function greets(port) {
  return await new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", () => resolve(false));
    socket.once("data", () => {
      socket.destroy();
      resolve(true);
    });
  });
}

async function serve() {
  ensurePrograms();
  const folder = mkdtempSync(join(memoryFolder() ?? tmpdir(), "tollgate-mariadb-"));
  const data = join(folder, "data");
  const user = process.getuid?.() === 0 ? ["--user=root"] : [];
  // A folder there is a database.
  mkdirSync(join(data, database), { recursive: true });
  const port = await freePort();
  const server = spawn(
    "mariadbd",
    [
      "--no-defaults",
      `--datadir=${data}`,
      `--socket=${join(folder, "socket")}`,
      `--pid-file=${join(folder, "pid")}`,
      `--port=${port}`,
      "--bind-address=127.0.0.1",
      "--innodb-flush-log-at-trx-commit=0",
      "--skip-log-bin",
      "--character-set-server=utf8mb4",
      // There are no users, as nothing but a test reaches the server, so it needs no tables of them.
      "--skip-grant-tables",
      ...user,
    ],
    { stdio: ["ignore", "ignore", "ignore"], env: programEnv() },
  );
  const stop = async () => {
    const closed = new Promise((resolve) => void server.once("close", resolve));
    server.kill("SIGKILL");
    if (server.exitCode === null) await closed;
    rmSync(folder, { recursive: true, force: true });
  };
  process.stdin.resume();
  process.stdin.once("end", () => void stop().then(() => process.exit(0)));
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, () => void stop().then(() => process.exit(1)));
  }
  const until = Date.now() + startMaxMs;
  while (!(await greets(port))) {
    if (server.exitCode !== null || Date.now() > until) {
      await stop();
      throw new Error("MariaDB did not start");
    }
    await sleep(100);
  }
  process.stdout.write(`mysql://root@127.0.0.1:${port}/${database}\n`);
}

await serve();
