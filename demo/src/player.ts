/**
 * Writes the steps of an answer to a connection, and reports to the account what was really sent.
 */

import type { Connection } from "./connection.ts";
import type { BytesStep, Step } from "./steps.ts";

/** Receives progress while steps are written; `CallEntry` in `account.ts` is one implementation. */
type Progress = {
  wroteHead(status: number): void;
  wrotePieces(count: number): void;
  wroteUsage(usage: string): void;
};

/**
 * How sending ended. `aborted`: the client disconnected. `reset`, `fin`: the script ends the
 * connection that way.
 */
type Played = "complete" | "aborted" | "reset" | "fin";

/**
 * The most text that is collected before it is written, and that an endless answer writes before it
 * yields.
 */
const gatheredLengthMax = 64 * 1024;
/**
 * How long to wait before a reset, in milliseconds. Linux discards what a reader has not fetched
 * when a reset arrives, so this lets it fetch what the script wants it to see.
 */
const resetGraceMs = 20;

/**
 * Writes the steps to the connection. Returns before the connection ends: the caller closes the
 * call's record first, then resets or closes the connection.
 *
 * @param released resolves when an answer that is held may go on.
 */
export async function play(
  connection: Connection,
  steps: Iterable<Step>,
  progress: Progress,
  released: () => Promise<void> = async () => {},
): Promise<Played> {
  const writer = openWriter(connection, progress);
  for (const step of steps) {
    switch (step.kind) {
      case "bytes":
        if (!writer.gather(step)) break;
        await writer.flush();
        // Yields, because otherwise an endless answer to a fast reader would never notice that the
        // connection has ended.
        await connection.pause(0);
        break;
      case "wait":
        await writer.flush();
        await connection.pause(step.ms);
        break;
      case "hold":
        await writer.flush();
        await Promise.race([released(), connection.gone()]);
        break;
      case "cut":
        await writer.flush();
        if (step.how === "silence") await connection.gone();
        if (step.how === "reset") await connection.pause(resetGraceMs);
        return connection.isClosed() || step.how === "silence" ? "aborted" : step.how;
    }
    if (connection.isClosed()) return "aborted";
  }
  await writer.flush();
  return writer.isClean() ? "complete" : "aborted";
}

type Writer = {
  /**
   * Keeps the step's bytes for the next flush. Returns true when enough bytes for one write have
   * been gathered.
   */
  gather(step: BytesStep): boolean;
  /** Resolves when the kernel has accepted everything, or the client is gone. */
  flush(): Promise<void>;
  /** Whether everything that was gathered has been written. */
  isClean(): boolean;
};

/** A step to report once the kernel has accepted `atBytes` bytes. */
type Milestone = { readonly atBytes: number; readonly step: BytesStep };

function openWriter(connection: Connection, progress: Progress): Writer {
  let texts = "";
  const binaries: Uint8Array[] = [];
  let gatheredBytes = 0;
  let milestones: Milestone[] = [];
  const base = connection.takenBytes();
  let flushedBytes = 0;

  function tell(): void {
    const taken = connection.takenBytes() - base;
    let told = 0;
    for (const { atBytes, step } of milestones) {
      if (atBytes > taken) break;
      if (step.status !== undefined) progress.wroteHead(step.status);
      if (step.pieces !== undefined) progress.wrotePieces(step.pieces);
      if (step.usage !== undefined) progress.wroteUsage(step.usage);
      told += 1;
    }
    milestones = told === milestones.length ? [] : milestones.slice(told);
  }
  function keepText(): void {
    if (texts !== "") binaries.push(Buffer.from(texts));
    texts = "";
  }
  function take(): string | Uint8Array {
    if (binaries.length === 0) return texts;
    keepText();
    return binaries.length === 1 ? (binaries[0] ?? "") : Buffer.concat(binaries);
  }

  return {
    gather(step) {
      const { bytes } = step;
      if (typeof bytes === "string") {
        texts += bytes;
        gatheredBytes += Buffer.byteLength(bytes);
      } else {
        keepText();
        binaries.push(bytes);
        gatheredBytes += bytes.length;
      }
      if (step.pieces !== undefined || step.usage !== undefined || step.status !== undefined) {
        milestones.push({ atBytes: flushedBytes + gatheredBytes, step });
      }
      return gatheredBytes >= gatheredLengthMax;
    },
    async flush() {
      if (gatheredBytes === 0) return;
      const bytes = take();
      flushedBytes += gatheredBytes;
      texts = "";
      binaries.length = 0;
      gatheredBytes = 0;
      connection.send(bytes);
      tell();
      while (connection.isStalled()) {
        await connection.drained();
        tell();
      }
    },
    isClean: () => connection.takenBytes() - base === flushedBytes + gatheredBytes,
  };
}
