/**
 * Runs another program as if it were this one: same terminal, signals handed on, its end is ours.
 * Plain Node, because Bun is not there yet on a fresh clone.
 */

import { spawn } from "node:child_process";

/**
 * How a program ended: by itself with `code`, or by `signal`.
 *
 * @typedef {{ readonly code: number | null, readonly signal: NodeJS.Signals | null }} Ending
 */

/** @type {readonly NodeJS.Signals[]} */
const handedOn = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"];

/** Ctrl-C reaches us twice, from the terminal and from npm; a person takes longer to press it again. */
const repeatMinMs = 300;

/**
 * Out of reach of signals to our process group, so that the program gets each signal once: from us.
 * For programs that do not outlive us in any case.
 *
 * @satisfies {import("node:child_process").SpawnOptions}
 */
export const apart = { detached: process.platform !== "win32" };

/**
 * Runs a program to its end. Signals sent to this process reach it, and do not end this process.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions} [options]
 * @param {(child: import("node:child_process").ChildProcess) => void} [onStart]
 * @returns {Promise<Ending>}
 */
export async function runChild(command, args, options = {}, onStart = () => {}) {
  const child = spawn(command, args, { stdio: "inherit", ...options });
  /** @type {Map<NodeJS.Signals, number>} */
  const sentMs = new Map();
  /** @type {(signal: NodeJS.Signals) => void} */
  const handOn = (signal) => {
    const nowMs = performance.now();
    if (nowMs - (sentMs.get(signal) ?? -Infinity) < repeatMinMs) return;
    sentMs.set(signal, nowMs);
    child.kill(signal);
  };
  for (const signal of handedOn) process.on(signal, handOn);
  onStart(child);
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => resolve({ code, signal }));
    });
  } finally {
    for (const signal of handedOn) process.off(signal, handOn);
  }
}

/**
 * Ends this process when the npm that started it is gone: one that is killed outright tells nobody.
 * Started otherwise, by a shell say, this process may outlive who started it.
 */
export function endWithNpm() {
  if (process.env["npm_lifecycle_event"] === undefined) return;
  const npm = process.ppid;
  const check = () => void (process.ppid !== npm && process.exit(1));
  setInterval(check, 200).unref();
}

/**
 * Ends this process the way the other program ended.
 *
 * @param {Ending} ending
 */
export function endLike({ code, signal }) {
  process.exitCode = code ?? 1;
  if (signal !== null) process.kill(process.pid, signal);
}
