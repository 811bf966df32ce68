/**
 * Starts worker threads and worker processes. Their files have the names that the executable uses,
 * and this file is directly in `server/src`, because only then can both sources and executable find
 * them. See docs/decisions/2026-11-21-three-ways-to-run.md.
 */

import { parse } from "node:path";
import { openAnswerThread } from "./workers/answers-client.ts";
import { letRunWhenIdle } from "./workers/idle-process.ts";
import type { HashedMessage, HashingStart } from "./workers/hashing-client.ts";
import type { WorkerMode } from "./workers/messages.ts";
import { openTokenizer } from "./workers/tokenizer-client.ts";

export function startDatabaseWorker(mode: WorkerMode): Worker {
  switch (mode) {
    case "writer":
      return new Worker(new URL("./workers/writer.worker.js", import.meta.url));
    case "reader":
      // Collects garbage early: rows read for a console are of no use a moment later.
      return new Worker(new URL("./workers/reader.worker.js", import.meta.url), { smol: true });
    case "apart":
      return new Worker(new URL("./workers/apart.worker.js", import.meta.url), { smol: true });
  }
}

/**
 * The variables that a hashing process gets: those that a system may need to start any program. It
 * gets none of the gateway's secrets.
 */
const passedVariables = ["LD_LIBRARY_PATH", "PATH", "SystemRoot", "TEMP", "TMP", "TMPDIR"];

export const startHashingProcess: HashingStart = (events, turn) => {
  const program = new URL("./workers/hashing.worker.js", import.meta.url);
  // The executable contains the runtime and the program. It acts as the runtime if this variable is
  // set, but then it cannot open its own files, so it reads the program from its standard input.
  const isInside = Bun.isStandaloneExecutable;
  const passed = passedVariables.map((name) => [name, process.env[name]]);
  const child = Bun.spawn({
    cmd: [process.execPath, "--smol", "--no-env-file", isInside ? "-" : Bun.fileURLToPath(program)],
    // No settings of the working folder are read.
    cwd: parse(process.execPath).root,
    env: { ...Object.fromEntries(passed), BUN_BE_BUN: "1" },
    stdin: isInside ? Bun.file(program) : "ignore",
    stdout: "ignore",
    stderr: "inherit",
    serialization: "json",
    // Safe cast: `hashing.worker.ts` sent it.
    ipc: (message) => events.answered(message as HashedMessage),
    onExit: () => events.ended(),
  });
  // The process itself lowers its priority on every system, but only once it has started.
  if (turn === "when-idle") letRunWhenIdle(child.pid);
  return {
    send: (message) => child.send(message),
    kill: () => child.kill("SIGKILL"),
  };
};

function startTokenizerWorker(): Worker {
  return new Worker(new URL("./workers/tokenizer.worker.js", import.meta.url));
}

export function startAnswersWorker(): Worker {
  return new Worker(new URL("./workers/answers.worker.js", import.meta.url));
}

export function startTracesWorker(): Worker {
  return new Worker(new URL("./workers/traces.worker.js", import.meta.url), { smol: true });
}

/** Opens the threads that do for the relaying one what takes longer than a turn of it. */
export function openThreads() {
  const tokenizer = openTokenizer(startTokenizerWorker);
  const answers = openAnswerThread(startAnswersWorker);
  return {
    ports: { tokenizer, readApart: answers.read },
    close() {
      tokenizer.close();
      answers.close();
    },
  };
}
