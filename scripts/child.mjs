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

/**
 * Runs a program to its end. Signals sent to this process reach it and do not end this process;
 * on Ctrl-C it gets two, one from the terminal itself.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions} [options]
 * @param {(child: import("node:child_process").ChildProcess) => void} [onStart]
 * @returns {Promise<Ending>}
 */
export async function runChild(command, args, options = {}, onStart = () => {}) {
  const child = spawn(command, args, { stdio: "inherit", ...options });
  /** @type {(signal: NodeJS.Signals) => void} */
  const handOn = (signal) => void child.kill(signal);
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
 * Ends this process the way the other program ended.
 *
 * @param {Ending} ending
 */
export function endLike({ code, signal }) {
  process.exitCode = code ?? 1;
  if (signal !== null) process.kill(process.pid, signal);
}
