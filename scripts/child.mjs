/**
 * Runs another program in place of this one: it gets the same terminal and the same signals, and
 * its exit status becomes ours. Plain Node, because a fresh clone has no Bun yet.
 */

import { spawn } from "node:child_process";

/**
 * How a program ended: by itself with `code`, or by `signal`.
 *
 * @typedef {{ readonly code: number | null, readonly signal: NodeJS.Signals | null }} Ending
 */

/** @type {readonly NodeJS.Signals[]} */
const handedOn = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"];

/**
 * Ctrl-C reaches this process twice within this time, from the terminal and from npm, and is passed
 * on once. A person who presses it again takes longer.
 */
const repeatMinMs = 300;

/**
 * Puts the program into a process group of its own, so that it gets each signal once, from this
 * process. Use it only for programs that are sure to end when this process ends.
 *
 * @satisfies {import("node:child_process").SpawnOptions}
 */
export const apart = { detached: process.platform !== "win32" };

/**
 * Runs a program to its end. Signals to this process go to the program and do not end this process.
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
 * Ends this process when the npm that started it is gone, because an npm that is killed sends no
 * signal. Without npm, this process may outlive its parent.
 */
export function endWithNpm() {
  if (process.env["npm_lifecycle_event"] === undefined) return;
  const npm = process.ppid;
  const check = () => void (process.ppid !== npm && process.exit(1));
  setInterval(check, 200).unref();
}

/**
 * Ends this process with the exit code or signal of the other program.
 *
 * @param {Ending} ending
 */
export function endLike({ code, signal }) {
  process.exitCode = code ?? 1;
  if (signal !== null) process.kill(process.pid, signal);
}
