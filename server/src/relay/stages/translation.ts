/**
 * Translates a call between the client's format and the upstream's: the request into the upstream's
 * format, the answer back.
 */

import { type Frame, FrameError } from "#base/frames/frame.ts";
import type { Json, JsonObject } from "#base/json.ts";
import { wellFormedJson } from "#base/json/well-formed.ts";
import { foldAnswer } from "#canonical/answer.ts";
import type { CanonicalEvent } from "#canonical/event.ts";
import type { CanonicalRequest } from "#canonical/request.ts";
import type { ReadUsage } from "#canonical/usage.ts";
import type {
  BodyRefusal,
  ErrorBody,
  RequestBody,
  RequestPath,
  RequestReader,
} from "#formats/format.ts";
import { openFrames } from "#formats/shared/upstream/frame-reader.ts";
import { writeFitted } from "#formats/shared/fit/fit-request.ts";
import { openToolRestorer } from "#formats/shared/restore-tools.ts";
import { listOf, objectOf, parseBody } from "#formats/shared/read-json.ts";
import { wrongArguments } from "#formats/shared/scan/crowded.ts";
import { piecesOf } from "#formats/shared/upstream/whole-as-stream.ts";
import { answerFault } from "#formats/shared/upstream-fault.ts";
import type { Asked } from "#formats/translation.ts";
import type { OpenCall } from "#relay/call/attempt-state.ts";
import { beginningOf, listAsStream, looksStreamed } from "./meter/other-mode.ts";
import {
  isInstructed,
  translate,
  type Way,
  type WayTranslation,
  withInstructions,
  withOverride,
} from "./translate.ts";

/** A call whose request was translated, and what the translation of its answer needs. */
export type Translated = WayTranslation & {
  readonly asked: Asked;
  readonly restore: (events: readonly CanonicalEvent[]) => readonly CanonicalEvent[];
  /** Names of the fields that the upstream's format cannot carry. */
  readonly losses: readonly string[];
  /** What the header `anthropic-beta` must name. */
  readonly betas: readonly string[];
  /**
   * Whether the upstream is asked for more output than the client, because some formats count
   * reasoning in their limit, or have a smallest one; for another service tier; or to read what the
   * client's request does not show, such as the results of a search.
   */
  readonly changesPrice: boolean;
};

/** What of a call the translation needs. */
type TranslatedCall = Pick<
  OpenCall,
  "body" | "bytes" | "conversation" | "isStream" | "model" | "requestId" | "startedAt"
>;

/**
 * Writes the request in the upstream's format.
 *
 * @param hashOf makes the keyed hash that stands for a name of the client's which is too long.
 */
export function translateRequest(
  way: Way,
  translation: WayTranslation,
  call: TranslatedCall,
  hashOf: (text: string) => string,
): BodyRefusal | { readonly bytes: Uint8Array; readonly translated: Translated } {
  const { client } = translation;
  const { body, isStream, model, requestId } = call;
  const sent = objectOf(parseBody(call.bytes));
  const given = isInstructed(way, body) ? withInstructions(way, sent) : sent;
  const parsed = client.parseRequest(given, { modality: body.modality, model, stream: isStream });
  if ("message" in parsed) return parsed;
  const wrong = wrongArguments(parsed.request.items);
  if (wrong !== "") return { code: "invalid_request", param: "", message: wrong };
  const request = { ...parsed.request, model: way.model, stream: way.asksStream };
  const written = writeRequest(way, { ...translation, hashOf }, request, call);
  if ("message" in written) return written;
  const { betas, bytes, changesPrice, restore } = written;
  const asked: Asked = {
    responseId: requestId,
    model,
    createdAt: Math.floor(call.startedAt / 1_000),
    promptTokens: Math.ceil(body.textBytes / bytesPerToken),
    wantsUsage: body.wantsUsage,
    keepsAnswer: call.conversation?.keepsAnswer === true,
    previousId: call.conversation?.previousId ?? "",
    request,
    body: given,
  };
  return {
    bytes,
    translated: {
      ...translation,
      asked,
      restore,
      betas,
      losses: isRewrittenOnly(way) ? [] : [...parsed.losses, ...written.losses],
      changesPrice,
    },
  };
}

/** Whether both sides speak one format, so that the request stays and the answer is written anew. */
export function isRewrittenOnly({ formatId, translation, upstreamId }: Way): boolean {
  return translation !== null && formatId === upstreamId;
}

type Written = Pick<Translated, "betas" | "restore"> & {
  readonly bytes: Uint8Array;
  readonly losses: readonly string[];
  /** Whether the upstream is asked for more output than the client, or for another tier. */
  readonly changesPrice: boolean;
};

function writeRequest(
  way: Way,
  fitting: WayTranslation & { readonly hashOf: (text: string) => string },
  request: CanonicalRequest,
  { body, bytes: own, isStream }: Pick<OpenCall, "body" | "bytes" | "isStream">,
): BodyRefusal | Written {
  if (isRewrittenOnly(way)) {
    const restore = openToolRestorer(request);
    return {
      bytes: translate(way, own, body),
      losses: [],
      changesPrice: false,
      restore,
      betas: [],
    };
  }
  const { upstream } = fitting;
  const written = writeFitted(request, fitting);
  if ("message" in written) return written;
  const path = { modality: body.modality, model: way.model, stream: isStream };
  return {
    bytes: encode(withOverride(way, written.body)),
    losses: written.losses,
    restore: written.restore,
    betas: written.betas ?? [],
    changesPrice: changesPrice(body, readPriced(upstream.requests, written.body, path)),
  };
}

function encode(body: object): Uint8Array {
  return new TextEncoder().encode(wellFormedJson(body));
}

/**
 * Reads what a written request costs. The texts of the conversation say nothing of that: they are
 * left out, because to read them takes as long as all other work on the call.
 */
function readPriced(
  { readRequest, fields, priced }: RequestReader,
  body: JsonObject,
  path: RequestPath,
): BodyRefusal | RequestBody {
  const { messages = "", texts = [] } = fields;
  const isRead = (name: string): boolean => priced?.includes(name) ?? !texts.includes(name);
  const kept = Object.entries(body).filter(([name]) => isRead(name));
  // Formats of clients need a conversation, and some have tools in it.
  const withTools = listOf(body[messages]).filter((item) => objectOf(item)["tools"] !== undefined);
  const stood = messages === "" ? {} : { [messages]: [{}, ...withTools] };
  return readRequest(encode({ ...Object.fromEntries(kept), ...stood }), path);
}

function changesPrice(asked: RequestBody, sent: BodyRefusal | RequestBody): boolean {
  if ("message" in sent) return false;
  // A format without tiers has the default one, for which a call is held that leaves the choice.
  if (sent.hasUnseenInput && !asked.hasUnseenInput) return true;
  const { tier = "default" } = sent;
  if (tier !== asked.tier && (tier !== "default" || asked.tier !== "auto")) return true;
  return asked.maxTokens !== null && (sent.maxTokens ?? Infinity) > asked.maxTokens;
}

/** For the estimate of the prompt that some formats begin a stream with. */
const bytesPerToken = 4;

/** An answer that is not streamed, in the client's format, and what it contains. */
export type TranslatedAnswer = {
  readonly bytes: Uint8Array;
  readonly events: readonly CanonicalEvent[];
  readonly fault: ErrorBody | undefined;
};

export function translateAnswer(translated: Translated, bytes: Uint8Array): TranslatedAnswer {
  const { asked, upstream, restore } = translated;
  const body = parse(bytes);
  // An upstream that answers in streams alone refuses calls with JSON nevertheless. Others send a
  // stream to who asked for none.
  const isStream = upstream.streamsOnly === true || isInFrames(upstream, bytes);
  if (Array.isArray(body) || (body === undefined && isStream)) {
    return finishAnswer(translated, readStream(translated, bytes));
  }
  if (body === undefined) {
    const fault = { code: "answer-malformed", message: "the answer is not JSON", type: "" };
    return { bytes, events: [], fault };
  }
  return finishAnswer(translated, restore(upstream.readAnswer(body, asked.responseId)));
}

/** Whether bytes that are not JSON may be a stream of the format. */
function isInFrames({ framing }: Translated["upstream"], bytes: Uint8Array): boolean {
  return framing === "json-lines" ? beginningOf(bytes) === "json" : looksStreamed(bytes);
}

/** Reads a stream that came as a whole. */
function readStream(translated: Translated, bytes: Uint8Array): readonly CanonicalEvent[] {
  const source = openEventSource(translated);
  return [...source.push(listAsStream(bytes)), ...source.end()];
}

function finishAnswer(
  { asked, client }: Translated,
  events: readonly CanonicalEvent[],
): TranslatedAnswer {
  const answer = foldAnswer(events);
  const { fault } = answer;
  return {
    bytes: new TextEncoder().encode(JSON.stringify(client.writeAnswer(answer, asked))),
    events,
    fault: fault === null ? undefined : { ...fault, type: fault.code },
  };
}

function parse(bytes: Uint8Array): Json | undefined {
  try {
    return parseBody(bytes);
  } catch {
    return undefined;
  }
}

const noReport: ReadUsage = { kind: "missing" };

/** Reads a stream of the upstream as events. */
export type EventSource = {
  /** Returns what was reported so far, in formats that report before the end. */
  reported(): ReadUsage;
  push(chunk: Uint8Array): readonly CanonicalEvent[];
  end(): readonly CanonicalEvent[];
  /** How many bytes have come of a frame that is not complete. */
  unfinishedBytes(): number;
};

/** Reads a whole answer, all of which is pushed at once, as the events of a stream. */
export function openWholeSource({ asked, upstream, restore }: Translated): EventSource {
  const read = (bytes: Uint8Array): readonly CanonicalEvent[] => {
    const body = parse(bytes);
    return body === undefined ? [] : upstream.readAnswer(body, asked.responseId);
  };
  return {
    reported: () => noReport,
    push: (bytes) => restore(read(bytes)).flatMap(inPieces),
    end: () => [],
    unfinishedBytes: () => 0,
  };
}

/** Cuts a long text, so that as much of it can pass as is paid for. */
function inPieces(event: CanonicalEvent): readonly CanonicalEvent[] {
  switch (event.type) {
    case "arguments":
    case "reasoning":
    case "refusal":
    case "text":
      return piecesOf(event.text).map((text) => ({ ...event, text }));
    default:
      return [event];
  }
}

export function openEventSource({ asked, upstream, restore }: Translated): EventSource {
  const frames = openFrames(upstream.framing);
  const reader = upstream.openReader(asked.responseId);
  let broken = false;
  const read = (next: () => readonly Frame[]): readonly CanonicalEvent[] => {
    if (broken) return [];
    try {
      return next().flatMap(({ event, data }) => reader.read(event, data));
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      broken = true;
      // What was reported until then is charged.
      const reported = reader.end().filter(({ type }) => type === "usage");
      return [
        ...reported,
        { type: "fault", fault: answerFault("answer-malformed", error.message) },
      ];
    }
  };
  return {
    reported: () => reader.reported?.() ?? noReport,
    push: (chunk) => restore(read(() => frames.push(chunk))),
    end() {
      const last = read(() => frames.end());
      return restore(broken ? last : [...last, ...reader.end()]);
    },
    unfinishedBytes: frames.unfinishedBytes,
  };
}
