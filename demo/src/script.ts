/**
 * Scripts: what a call to the demo upstream gets, as data. A script is registered for a model name
 * by the control API, or comes with the call in the body's `user` field as `demo:{"events":5}`. The
 * empty script is an ordinary, immediate, correct answer; every field changes one thing, and fields
 * combine.
 *
 * A "piece" is one delta of an answer (one word, which counts as one output token), an "event" the
 * server-sent event that contains it. An answer that is not streamed has the same pieces in one
 * JSON text, and is cut at the same places.
 */

import { z } from "zod";

/** The longest delay: one day. For a longer one, use `cut … "silence"`, which has no time limit. */
const delayMsMax = 86_400_000;
/**
 * Upper limit of the numbers of pieces, comment lines, empty lines and interim heads, which are
 * created while they are written.
 */
const countMax = 1_000_000_000;
/** The longest piece. Limited, because a piece is one string in memory. */
const pieceBytesMax = 16 * 1024 * 1024;
/**
 * The longest raw text of a script. Limited, because raw bodies and text after the end are kept in
 * memory with the script.
 */
const textLengthMax = 16 * 1024 * 1024;
const headerTextMax = 64 * 1024;
const bombBytesMax = 1024 ** 4;

const delayMs = z.int().min(0).max(delayMsMax);
const count = z.int().min(0).max(countMax);
const tokens = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const text = z.string().max(textLengthMax);

const cut = z.strictObject({
  /**
   * When to cut. `connect`: after the call was read, before any byte. `headers`: after the head. A
   * number: after that many pieces. `mid-event`: inside the middle piece's event. `before-usage`:
   * where usage is, or would be. `before-done`: before `[DONE]`, or the last brace. `end`: after
   * the last byte of content, before the body's end is marked.
   */
  after: z.union([
    z.enum(["connect", "headers", "mid-event", "before-usage", "before-done", "end"]),
    count,
  ]),
  /**
   * How to cut: by a TCP reset, a normal close, or an open connection on which no further bytes
   * arrive.
   */
  how: z.enum(["reset", "fin", "silence"]),
});

/**
 * Where the answer is held: the places of `cut`, or `head`, which is before the first byte and its
 * delay.
 */
const hold = z.union([z.enum(["head", "before-usage", "before-done"]), count]);

const demoScript = z.strictObject({
  // --- an ordinary answer -----------------------------------------------------------------------
  /** Delay before the head. */
  headDelayMs: delayMs.optional(),
  /** Delay before each piece; an answer that is not streamed waits for all of them first. */
  eventDelayMs: delayMs.optional(),
  /**
   * Waits at this place until `POST /__demo/release/{model}`. A test of a race holds the answer
   * here until what must come first has happened.
   */
  hold: hold.optional(),
  /** Number of content pieces in each choice. Default 40, the whole scripted text. */
  events: count.optional(),
  /** Number of `reasoning_content` pieces before the content. Default 0. */
  reasoningEvents: count.optional(),
  /** Text of every piece. Default: the words of the scripted text. */
  piece: z.string().min(1).max(pieceBytesMax).optional(),
  /** Exact size of every piece: `piece` is repeated and padded. */
  pieceBytes: z.int().min(1).max(pieceBytesMax).optional(),
  /**
   * Writes the arguments of a call at once. Responses has them in the events that end the call
   * alone, as some servers do.
   */
  lateArguments: z.boolean().optional(),
  /**
   * While the conversation has no result of a function, the first of these that the client offers is
   * called. None is offered: the answer is words.
   */
  callOneOf: z
    .array(z.strictObject({ name: z.string().min(1), arguments: z.record(z.string(), z.json()) }))
    .max(16)
    .optional(),
  /** Writes all pieces, whatever `max_tokens` says. */
  ignoreMaxTokens: z.boolean().optional(),

  // --- usage -----------------------------------------------------------------------------------
  /** Default: the bytes of all message text ÷ 4, rounded up, at least 1. */
  promptTokens: tokens.optional(),
  cachedTokens: tokens.optional(),
  cacheWriteTokens: tokens.optional(),
  audioInputTokens: tokens.optional(),
  audioOutputTokens: tokens.optional(),
  /**
   * Default: the number of reasoning pieces of all choices. They are not added to the completion
   * tokens.
   */
  reasoningTokens: tokens.optional(),
  /** Any JSON instead of the usage object; `false` leaves usage out. */
  usage: z.json().optional(),
  /** Text instead of the usage value, for what JSON values cannot express: `1e999`, `1.0`. */
  usageText: text.optional(),
  usageTwice: z.boolean().optional(),
  /**
   * A usage object in the first piece's event of a stream of chat completions or of Gemini, as
   * upstreams have it that count while they answer.
   */
  usageFirst: z.json().optional(),

  // --- another answer ---------------------------------------------------------------------------
  /** 2xx leaves the answer as it is; with any other status the answer is an OpenAI error body. */
  status: z.int().min(200).max(599).optional(),
  /** Raw text instead of the answer. */
  body: text.optional(),
  contentType: z.string().max(headerTextMax).optional(),
  /**
   * Headers that are added to the default ones, or replace them. Several values become several
   * lines.
   */
  headers: z
    .record(z.string().min(1).max(256), z.union([z.string(), z.array(z.string())]))
    .optional(),
  retryAfter: z.string().max(headerTextMax).optional(),
  /** Value of the `Location` header; the status is 307 unless `status` is given. */
  redirect: z.string().max(headerTextMax).optional(),
  /**
   * After `after` pieces, an event `{"error":…}` ends the stream; an answer that is not streamed is
   * a 200 with that body.
   */
  errorEvent: z.strictObject({ after: count, error: z.json() }).optional(),

  // --- some calls fail ------------------------------------------------------------------------
  /**
   * Every n-th call of the model fails. With `failEvery` or `failRatio` the fields `status`
   * (default 500), `body`, `contentType`, `retryAfter`, `redirect`, `cut` and `errorEvent` count
   * for the failing calls only.
   */
  failEvery: z.int().min(1).max(countMax).optional(),
  /** The share of the model's calls that fail, evenly spread; each time the same calls fail. */
  failRatio: z.number().min(0).max(1).optional(),

  // --- broken transport -------------------------------------------------------------------------
  cut: cut.optional(),
  /**
   * Announces a wrong `Content-Length`. `short`: the length of the body − 10, or 64 for a streamed
   * answer; `long`: the length + 100, or 10⁹ for a streamed answer.
   */
  contentLength: z.enum(["short", "long"]).optional(),
  /**
   * `truncated`: the chunk of the middle piece ends early, then FIN. `whole`: the body is chunked
   * correctly.
   */
  chunked: z.enum(["truncated", "whole"]).optional(),
  /** Writes the body in portions of this many bytes, each its own chunk and its own write. */
  splitBytes: z.int().min(1).max(textLengthMax).optional(),
  /** Writes one byte of the body every `drip` milliseconds. */
  drip: z.int().min(1).max(delayMsMax).optional(),
  /** Answers with a compressed body that unpacks to `bombBytes` spaces. */
  encoding: z.enum(["gzip-bomb", "br-bomb"]).optional(),
  /** Size of the unpacked bomb, rounded up to whole blocks of 8 MiB. Default 10 GiB. */
  bombBytes: z.int().min(1).max(bombBytesMax).optional(),
  /** Number of bytes of filler in the response head. */
  hugeHeaders: count.optional(),
  /** Number of `103` heads before the final head. */
  informational: count.optional(),
  /** The answer never ends, whatever `events` and `max_tokens` say. */
  neverEnd: z.boolean().optional(),

  // --- unusual or broken event streams ----------------------------------------------------------
  /** Number of `[DONE]` events: false none, true (default) one. */
  done: z.union([z.boolean(), z.literal(2)]).optional(),
  /** Raw text that is written after the last event. */
  afterDone: text.optional(),
  lineEnd: z.enum(["\n", "\r\n", "\r"]).optional(),
  /** Writes `data:{` in place of `data: {`. */
  noBlankAfterColon: z.boolean().optional(),
  /** Writes no empty line between events. */
  noBlankLine: z.boolean().optional(),
  bom: z.boolean().optional(),
  /** Number of comment lines before each event. */
  comments: count.optional(),
  /** Number of empty lines before the first event. */
  emptyLines: count.optional(),
  /** Writes lines with NUL bytes before each event; the events themselves stay valid. */
  nul: z.boolean().optional(),
  /** The first piece is stretched until its line has this many bytes. */
  longLineBytes: count.optional(),
});

/** A script. See the fields above; all of them are optional. */
export type DemoScript = z.output<typeof demoScript>;

/** The result of reading a script: the script, or why the input is not one. */
export type ScriptReading = { readonly script: DemoScript } | { readonly reason: string };

function parseScript(value: unknown): ScriptReading {
  const parsed = demoScript.safeParse(value);
  if (parsed.success) return { script: parsed.data };
  const issue = parsed.error.issues[0];
  const where = issue?.path.join(".") ?? "";
  return { reason: `${where === "" ? "script" : where}: ${issue?.message ?? "not a script"}` };
}

/** Reads a script from JSON text. */
export function parseScriptText(json: string): ScriptReading {
  try {
    return parseScript(JSON.parse(json));
  } catch {
    return { reason: "the script is not JSON" };
  }
}

/**
 * Fields that affect neither transport nor status nor framing. An answer of a script with only
 * these may be sent in one write.
 */
const ordinaryFields: ReadonlySet<string> = new Set([
  "callOneOf",
  "headDelayMs",
  "eventDelayMs",
  "events",
  "reasoningEvents",
  "piece",
  "pieceBytes",
  "ignoreMaxTokens",
  "lateArguments",
  "promptTokens",
  "cachedTokens",
  "cacheWriteTokens",
  "audioInputTokens",
  "audioOutputTokens",
  "reasoningTokens",
  "usage",
  "usageFirst",
  "usageText",
  "usageTwice",
]);

/** Whether the script only changes what is answered, and disturbs neither transport nor framing. */
export function isOrdinary(script: DemoScript): boolean {
  return Object.keys(script).every((field) => ordinaryFields.has(field));
}

/** Fields that apply only to failing calls if `failEvery` or `failRatio` is set. */
const failureFields: ReadonlySet<string> = new Set([
  "status",
  "body",
  "contentType",
  "retryAfter",
  "redirect",
  "errorEvent",
  "cut",
]);

/**
 * Returns the script to use for one call of a script that lets only some calls fail.
 *
 * @param ordinal number of the model's calls so far, this one included.
 */
export function scriptOfCall(script: DemoScript, ordinal: number): DemoScript {
  const { failEvery, failRatio, ...rest } = script;
  if (failEvery === undefined && failRatio === undefined) return script;
  const fails =
    (failEvery !== undefined && ordinal % failEvery === 0) ||
    (failRatio !== undefined &&
      Math.floor(ordinal * failRatio) > Math.floor((ordinal - 1) * failRatio));
  if (fails) {
    const { status, body, redirect, errorEvent, cut: cutAt } = rest;
    const how = [status, body, redirect, errorEvent, cutAt];
    return how.every((field) => field === undefined) ? { ...rest, status: 500 } : rest;
  }
  const sound = Object.entries(rest).filter(([field]) => !failureFields.has(field));
  // Safe cast: some fields of a script are a script again, since all fields are optional.
  return Object.fromEntries(sound) as DemoScript;
}
