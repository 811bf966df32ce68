/**
 * Finds the program of a Redis or Valkey server, and installs it where this user may do so: `node
 * scripts/programs/redis.mjs` prints what to run, and the name to run it by, as JSON.
 */

import { spawnSync } from "node:child_process";
import { canInstall, installPackages } from "./apt.mjs";

/**
 * Each program, and the name under which it is a server: Debian's tools have the server's program,
 * which does what its name says, without the service.
 */
const programs = [
  { program: "redis-server", name: "redis-server" },
  { program: "valkey-server", name: "valkey-server" },
  { program: "redis-check-rdb", name: "redis-server" },
];

/**
 * @returns {{ program: string, name: string }} what to run, and the name to run it by
 * @throws {Error} saying what to install when there is none and this user may not install it
 */
function redisProgram() {
  const found = installed();
  if (found !== undefined) return found;
  if (canInstall()) installPackages(["redis-tools"]);
  const now = installed();
  if (now !== undefined) return now;
  throw new Error(
    "The tests of shared limits need the program of a Redis or Valkey server (redis-server).\n" +
      "No service has to run. On Debian and Ubuntu: sudo apt-get install redis-tools",
  );
}

function installed() {
  return programs.find(
    ({ program, name }) =>
      spawnSync(program, ["--version"], { stdio: "ignore", argv0: name }).status === 0,
  );
}

process.stdout.write(`${JSON.stringify(redisProgram())}\n`);
