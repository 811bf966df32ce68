/**
 * Recorded answers of upstreams, replayed by tests of formats and meters. A recording is one JSON
 * file, made of real traffic and never edited; a new case is a new file and no new code.
 *
 *   response   the answer: `body` parsed, or `sse`, `ndjson` or `eventstream_b64` byte for byte, or
 *              `chunks`, only the payloads of its events
 *   expected   what the answer contains, found without this program. Its counts include their
 *              parts: `input` has cached tokens in it, `output` has reasoning
 *   source     repository, commit, path and licence of the bytes
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { amazonFrame } from "#base/frames/testing/amazon-frame.ts";
import type { Framing } from "#formats/translation.ts";

export type Recording = {
  readonly id: string;
  readonly provider: string;
  /** The API that was recorded, for example `openai.chat`. */
  readonly surface: string;
  readonly source: { readonly repo: string; readonly licence: string };
  /** The request as it was sent; absent: it was not recorded. */
  readonly request?: { readonly body?: unknown };
  readonly response: {
    readonly status: number;
    readonly body?: unknown;
    readonly sse?: string;
    readonly ndjson?: string;
    readonly eventstream_b64?: string;
    readonly chunks?: readonly string[];
  };
  readonly expected: {
    readonly stream: boolean;
    readonly finish?: string | null;
    readonly text?: RecordedText;
    readonly reasoning?: RecordedText | null;
    readonly refusal?: RecordedText | null;
    readonly tool_calls?: readonly {
      readonly id?: string | null;
      readonly name?: string;
      readonly args_sha256?: string | null;
    }[];
    readonly usage?: RecordedUsage | null;
    readonly usage_raw?: Readonly<Record<string, unknown>> | null;
    /** Indexes of documents, the best first. */
    readonly order?: readonly number[];
    /** Number of vectors. */
    readonly embeddings?: number;
    readonly error?: { readonly message?: string };
  };
};

/** Length of the text of choice 0, and the hash of its UTF-8 bytes. */
type RecordedText = { readonly chars: number; readonly sha256: string };

/** Counts that the answer reports; null: it does not report this count. */
export type RecordedUsage = {
  readonly input: number;
  readonly cached_input: number | null;
  readonly cache_write_input: number | null;
  readonly output: number;
  readonly reasoning: number | null;
  readonly total: number | null;
  /** Tokens that the total includes, but neither `input` nor `output` does. */
  readonly unaccounted?: number;
};

/** Reads all recordings in the subfolders of a folder, sorted by id. */
export function readRecordings(folder: string): Recording[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => /[/\\].*\.json$/.test(file))
    .toSorted()
    .map((file): Recording => JSON.parse(readFileSync(join(folder, file), "utf8")));
}

/** Returns the bytes of the answer as the upstream sent them. */
export function replay({ response, expected }: Recording, framing: Framing = "sse"): Uint8Array {
  const { sse, ndjson, eventstream_b64: frames, chunks, body } = response;
  if (sse !== undefined) return Buffer.from(sse);
  if (ndjson !== undefined) return Buffer.from(ndjson);
  if (frames !== undefined) return Buffer.from(frames, "base64");
  if (chunks === undefined) return Buffer.from(JSON.stringify(body));
  if (!expected.stream) throw new Error("chunks of an answer that is not streamed");
  // These recordings have only the payloads of events, so the framing around them is restored here.
  if (framing === "aws-event-stream") return Buffer.concat(chunks.map(namedFrame));
  return Buffer.from([...chunks, "[DONE]"].map((chunk) => `data: ${chunk}\n\n`).join(""));
}

/** Makes the frame of a payload that stands under its event's name. */
function namedFrame(chunk: string): Uint8Array {
  const [[event, payload] = ["", {}]] = Object.entries(JSON.parse(chunk));
  return amazonFrame({ ":message-type": "event", ":event-type": event }, JSON.stringify(payload));
}

/** Splits bytes into pieces of `size`, each with memory of its own, as a network delivers them. */
export function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    pieces.push(new Uint8Array(bytes.subarray(at, at + size)));
  }
  return pieces;
}
