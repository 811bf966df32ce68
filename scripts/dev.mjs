/**
 * `npm run dev`: the server from its sources, started again at every change, and the console from
 * its own, which browsers take over as they change. The console is at the address that is printed
 * last and hands the API's paths on to the server. Arguments go to the server.
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

// One without the other is of no use.
const first = await Promise.race([server, pages]);
for (const child of children) child.kill("SIGTERM");
await Promise.all([server, pages]);
endLike(first);
