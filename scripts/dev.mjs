/**
 * `npm run dev` runs the server from its sources, with a restart at every change, and the console
 * from its sources, with hot reload. The console is at the address that is printed last, and it
 * proxies the paths of the API to the server. Arguments go to the server.
 */

import { join } from "node:path";
import { bunBinary, environmentWithBun, root } from "./bun.mjs";
import { apart, endLike, endWithNpm, runChild } from "./child.mjs";
import { ensureInstalled } from "./install.mjs";

const serverPort = process.env["PORT"] ?? "3000";

endWithNpm();
await ensureInstalled();

/** @type {import("node:child_process").ChildProcess[]} */
const children = [];

/**
 * Starts a process under Bun.
 *
 * @param {readonly string[]} args of Bun
 * @param {NodeJS.ProcessEnv} added to the environment
 */
function run(args, added) {
  return runChild(
    bunBinary(),
    ["--no-env-file", "--no-orphans", ...args],
    { cwd: root, env: { ...environmentWithBun(), ...added }, ...apart },
    (child) => children.push(child),
  );
}

const server = run(["--watch", "server/src/main.ts", ...process.argv.slice(2)], {
  PORT: serverPort,
});
const vite = join(root, "node_modules/vite/bin/vite.js");
const pages = run(["--bun", vite, "--config", "web/vite.config.ts"], {
  TOLLGATE_DEV_SERVER: `http://127.0.0.1:${serverPort}`,
});

// If one of the two servers ends, the other one is ended too.
const first = await Promise.race([server, pages]);
for (const child of children) child.kill("SIGTERM");
await Promise.all([server, pages]);
endLike(first);
