/**
 * Bun sends at most 256 requests at a time unless its environment says otherwise before the
 * process begins, so the process may have to begin again. See
 * https://bun.sh/docs/runtime/networking/fetch, read 2026-11-21.
 */

const variable = "BUN_CONFIG_MAX_HTTP_REQUESTS";

/** The most Bun takes. */
const requestsMax = "65336";

/** Replaces this process, keeping its id, when its environment lacks the limit. */
export function raiseRequestSlots(): void {
  if (process.env[variable] !== undefined) return;
  const { execve } = process;
  // Not on Windows, where 256 at a time remain.
  if (typeof execve !== "function") return;
  // Of an executable the second argument names a file inside it, which it finds by itself.
  const isExecutable = process.argv[1]?.includes("$bunfs") === true;
  const args = isExecutable ? process.argv.slice(2) : process.argv.slice(1);
  execve(process.execPath, [process.execPath, ...process.execArgv, ...args], {
    ...process.env,
    [variable]: requestsMax,
  });
}
