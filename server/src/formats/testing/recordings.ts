/**
 * Recorded answers: what the tests of formats and meters play. A recording is one JSON file, made
 * of real traffic and never edited; a new case is a new file and no new code.
 *
 *   response   the answer: `body` parsed, or `sse` byte for byte, or `chunks`, the payloads only
 *   expected   what is in it, worked out apart from this program. Its counts are inclusive:
 *              `input` has cached tokens in it, `output` has reasoning
 *   source     repository, commit, path and licence of the bytes
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type Recording = {
  readonly id: string;
  readonly provider: string;
  /** For example `openai.chat`. */
  readonly surface: string;
  readonly source: { readonly repo: string; readonly licence: string };
  readonly response: {
    readonly status: number;
    readonly body?: unknown;
    readonly sse?: string;
    readonly chunks?: readonly string[];
  };
  readonly expected: {
    readonly stream: boolean;
    readonly finish?: string | null;
    readonly text?: RecordedText;
    readonly reasoning?: RecordedText | null;
    readonly refusal?: RecordedText | null;
    readonly tool_calls?: readonly { readonly args_sha256?: string | null }[];
    readonly usage?: RecordedUsage | null;
    readonly usage_raw?: Readonly<Record<string, unknown>> | null;
    readonly error?: { readonly message?: string };
  };
};

/** The text of choice 0. The hash is of its UTF-8 bytes. */
type RecordedText = { readonly chars: number; readonly sha256: string };

/** Null: the answer does not report it. */
export type RecordedUsage = {
  readonly input: number;
  readonly cached_input: number | null;
  readonly cache_write_input: number | null;
  readonly output: number;
  readonly reasoning: number | null;
  readonly total: number | null;
  /** Tokens that are in the total and in neither count. */
  readonly unaccounted?: number;
};

/** All recordings in the subfolders of a folder, sorted by id. */
export function readRecordings(folder: string): Recording[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => /[/\\].*\.json$/.test(file))
    .toSorted()
    .map((file): Recording => JSON.parse(readFileSync(join(folder, file), "utf8")));
}

/** The bytes of the answer, as the upstream sent them. */
export function replay({ response, expected }: Recording): Uint8Array {
  const { sse, chunks, body } = response;
  if (sse !== undefined) return Buffer.from(sse);
  if (chunks === undefined) return Buffer.from(JSON.stringify(body));
  if (!expected.stream) throw new Error("chunks of an answer that is not streamed");
  // Recorders kept the payloads only; this restores their framing.
  return Buffer.from([...chunks, "[DONE]"].map((chunk) => `data: ${chunk}\n\n`).join(""));
}

/** Splits bytes into pieces of `size`, each with memory of its own, as a network delivers them. */
export function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    pieces.push(new Uint8Array(bytes.subarray(at, at + size)));
  }
  return pieces;
}
