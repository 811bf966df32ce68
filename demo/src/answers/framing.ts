/** Frames an answer in HTTP/1.1: head, length, chunks, portions. Pure and lazy. */

import { STATUS_CODES } from "node:http";
import type { DemoScript } from "@tollgate/demo/script.ts";
import { type BytesStep, bytes, repeat, type Step } from "@tollgate/demo/steps.ts";

/** Header values by name. A list becomes several lines. */
export type HeaderLines = Readonly<Record<string, string | readonly string[]>>;

/**
 * How the end of the body is known. `length`: from Content-Length, which may be wrong; `overrun`
 * then closes the connection instead of waiting for bytes that never come. `close`: from the
 * connection's end, for HTTP/1.0. `none`: there is no body (204, 304).
 */
export type Ending =
  | { readonly kind: "length"; readonly bodyBytes: number; readonly overrun: boolean }
  | { readonly kind: "chunked" }
  | { readonly kind: "close" }
  | { readonly kind: "none" };

/** Content-Lengths that are wrong on purpose, for a body whose length is not known in advance. */
const streamShortBytes = 64;
const streamLongBytes = 1_000_000_000;
/** How many bytes a wrong Content-Length is below or above the known length. */
const shortByBytes = 10;
const longByBytes = 100;
const fillerLineBytes = 8 * 1024;

const interimHead = "HTTP/1.1 103 Early Hints\r\nlink: </scripted>; rel=preload\r\n\r\n";

type EndingFacts = {
  readonly status: number;
  /** The body's length; null: unknown, because the body is made while it is written. */
  readonly bodyBytes: number | null;
  /** Whether the client speaks HTTP/1.1, and so understands chunks. */
  readonly chunksUnderstood: boolean;
};

export function endingOf(script: DemoScript, facts: EndingFacts): Ending {
  const { status, bodyBytes, chunksUnderstood } = facts;
  if (status === 204 || status === 304) return { kind: "none" };
  if (script.contentLength === "short") {
    const short = bodyBytes === null ? streamShortBytes : Math.max(0, bodyBytes - shortByBytes);
    return { kind: "length", bodyBytes: short, overrun: false };
  }
  if (script.contentLength === "long") {
    const long = bodyBytes === null ? streamLongBytes : bodyBytes + longByBytes;
    return { kind: "length", bodyBytes: long, overrun: true };
  }
  if (bodyBytes !== null && script.chunked === undefined) {
    return { kind: "length", bodyBytes, overrun: false };
  }
  return { kind: chunksUnderstood ? "chunked" : "close" };
}

/** Returns the head as one text. The script's headers override the default ones. */
export function headText(
  status: number,
  ending: Ending,
  { ours, scripted }: { ours: HeaderLines; scripted: HeaderLines },
): string {
  const all: Record<string, string | readonly string[]> = { ...ours };
  if (ending.kind === "length") all["content-length"] = String(ending.bodyBytes);
  if (ending.kind === "chunked") all["transfer-encoding"] = "chunked";
  if (ending.kind === "close") all["connection"] = "close";
  for (const [name, value] of Object.entries(scripted)) {
    delete all[name.toLowerCase()];
    all[name] = value;
  }
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Scripted"}\r\n`;
  for (const [name, value] of Object.entries(all)) {
    for (const line of typeof value === "string" ? [value] : value) text += `${name}: ${line}\r\n`;
  }
  return text;
}

/**
 * Yields the steps of a head: interim heads, the head itself, filler headers, and the empty line.
 */
export function* headSteps(script: DemoScript, status: number, head: string): Generator<Step> {
  yield* repeat(interimHead, script.informational ?? 0);
  yield bytes(head);
  const filler = script.hugeHeaders ?? 0;
  if (filler > 0) {
    const line = `x-demo-filler: ${"f".repeat(fillerLineBytes - "x-demo-filler: \r\n".length)}\r\n`;
    yield* repeat(line, Math.ceil(filler / fillerLineBytes));
  }
  yield { kind: "bytes", bytes: "\r\n", status };
}

/**
 * Divides the body into the portions that the script requests, and into chunks if the ending
 * requires them.
 */
export function framedBody(
  script: DemoScript,
  ending: Ending,
  body: Iterable<Step>,
): Iterable<Step> {
  if (ending.kind === "none") return [];
  const portioned = portions(script, body);
  switch (ending.kind) {
    case "chunked":
      return chunks(portioned);
    case "length":
      return ending.overrun ? overrun(portioned) : portioned;
    case "close":
      return portioned;
  }
}

/**
 * Writes the body as `splitBytes` or `drip` require it: each portion is one write and one chunk.
 */
function portions(script: DemoScript, body: Iterable<Step>): Iterable<Step> {
  const { splitBytes, drip } = script;
  if (drip !== undefined) return cutPortions(body, 1, drip);
  if (splitBytes !== undefined) return cutPortions(body, splitBytes, 0);
  return body;
}

function* cutPortions(body: Iterable<Step>, portionBytes: number, ms: number): Generator<Step> {
  for (const step of body) {
    if (step.kind !== "bytes") {
      yield step;
      continue;
    }
    const whole = typeof step.bytes === "string" ? Buffer.from(step.bytes) : step.bytes;
    for (let at = 0; at < whole.length; at += portionBytes) {
      const portion = whole.subarray(at, at + portionBytes);
      const last = at + portionBytes >= whole.length;
      yield { kind: "wait", ms };
      yield last ? { ...step, bytes: portion } : bytes(portion);
    }
  }
}

function* chunks(body: Iterable<Step>): Generator<Step> {
  for (const step of body) {
    if (step.kind !== "bytes") yield step;
    else yield* chunk(step);
  }
  yield bytes("0\r\n\r\n");
}

function* chunk(step: BytesStep): Generator<Step> {
  const { bytes: content, missingBytes } = step;
  const length = typeof content === "string" ? Buffer.byteLength(content) : content.length;
  if (length === 0) return;
  const open = `${(length + (missingBytes ?? 0)).toString(16)}\r\n`;
  const close = missingBytes === undefined ? "\r\n" : "";
  if (typeof content === "string") {
    yield { ...step, bytes: open + content + close };
    return;
  }
  yield bytes(open);
  yield step;
  yield bytes(close);
}

/** Writes the body, then closes the connection although more bytes were announced. */
function* overrun(body: Iterable<Step>): Generator<Step> {
  yield* body;
  yield { kind: "cut", how: "fin" };
}
