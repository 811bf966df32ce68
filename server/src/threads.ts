/**
 * Starts worker threads. The files are named as they are called once bundled, from a file of this
 * very folder, because only so sources, bundle and executable all find them; see
 * docs/decisions/2026-11-21-three-ways-to-run.md.
 */

import type { WorkerMode } from "./workers/messages.ts";

export function startDatabaseWorker(mode: WorkerMode): Worker {
  return mode === "writer"
    ? new Worker(new URL("./workers/writer.worker.js", import.meta.url))
    : // Collects garbage early: what it reads for a console is of no use a moment later.
      new Worker(new URL("./workers/reader.worker.js", import.meta.url), { smol: true });
}

export function startTokenizerWorker(): Worker {
  return new Worker(new URL("./workers/tokenizer.worker.js", import.meta.url));
}
