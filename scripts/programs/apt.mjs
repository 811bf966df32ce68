/** Installs system packages on Debian and its derivatives, where this user may do so. */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Whether this user may install packages, and this system has `apt-get`. */
export function canInstall() {
  return process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
}

/**
 * Prints the name of each package before installing it, because the installation asks for no
 * consent.
 *
 * @param {readonly string[]} packages
 */
export function installPackages(packages) {
  for (const name of packages) {
    process.stderr.write(`Installing the system package ${name} (apt-get install) …\n`);
  }
  const install = ["install", "-y", "-q", "--no-install-recommends", ...packages];
  // On a fresh machine the package lists are empty or old. Updating them is slow, so it is done
  // only if the installation fails without it.
  if (!aptGet(install)) {
    aptGet(["update", "-q"]);
    aptGet(install);
  }
}

/**
 * Runs `apt-get` without questions. Returns whether it succeeded.
 *
 * @param {readonly string[]} args
 */
function aptGet(args) {
  const { status } = spawnSync("apt-get", args, {
    // The output goes to standard error, because the last line of `npm test` on standard output is
    // the count of tests.
    stdio: ["ignore", 2, 2],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", UCF_FORCE_CONFFOLD: "1" },
  });
  return status === 0;
}
