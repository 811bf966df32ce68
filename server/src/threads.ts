/**
 * Starts worker threads. Their files have the names that the bundle uses, and this file is directly
 * in `server/src`, because only then can sources, bundle and executable all find them. See
 * docs/decisions/2026-11-21-three-ways-to-run.md.
 */

import type { WorkerMode } from "./workers/messages.ts";

export function startDatabaseWorker(mode: WorkerMode): Worker {
  return mode === "writer"
    ? new Worker(new URL("./workers/writer.worker.js", import.meta.url))
    : // Collects garbage early: rows read for a console are of no use a moment later.
      new Worker(new URL("./workers/reader.worker.js", import.meta.url), { smol: true });
}

export function startHashingWorker(): Worker {
  return new Worker(new URL("./workers/hashing.worker.js", import.meta.url), { smol: true });
}

export function startTokenizerWorker(): Worker {
  return new Worker(new URL("./workers/tokenizer.worker.js", import.meta.url));
}
