/**
 * Translates a call between the client's format and the upstream's: the request into the upstream's
 * format, the answer back.
 */

import { type Frame, FrameError } from "#base/frames/frame.ts";
import { type Json, nestingMax, nestsTooDeep } from "#base/json.ts";
import { foldAnswer } from "#canonical/answer.ts";
import type { CanonicalEvent } from "#canonical/event.ts";
import type { CanonicalRequest, Item } from "#canonical/request.ts";
import type { ReadUsage } from "#canonical/usage.ts";
import type { BodyRefusal, ErrorBody, RequestBody } from "#formats/format.ts";
import { openFrames } from "#formats/shared/upstream/frame-reader.ts";
import { writeFitted } from "#formats/shared/fit/fit-request.ts";
import { openToolRestorer } from "#formats/shared/restore-tools.ts";
import { objectOf, parseBody } from "#formats/shared/read-json.ts";
import { answerFault } from "#formats/shared/upstream-fault.ts";
import type { Asked } from "#formats/translation.ts";
import type { OpenCall } from "#relay/call.ts";
import {
  applyOverride,
  isInstructed,
  translate,
  type Way,
  type WayTranslation,
  withInstructions,
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
  if (parsed.request.items.some(hasDeepArguments)) return argumentsTooDeep;
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

/** Whether code that walks the arguments of the call would use up the stack. */
export function hasDeepArguments(item: Item): boolean {
  return item.type === "tool-call" && item.form === "json" && nestsTooDeep(item.argsText);
}

const argumentsTooDeep: BodyRefusal = {
  code: "invalid_request",
  param: "",
  message: `the arguments of a tool call nest deeper than ${nestingMax} levels`,
};

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
  const bytes = new TextEncoder().encode(wellFormed(JSON.stringify(written.body)));
  const path = { modality: body.modality, model: way.model, stream: isStream };
  return {
    bytes: applyOverride(way, bytes),
    losses: written.losses,
    restore: written.restore,
    betas: written.betas ?? [],
    changesPrice: changesPrice(body, upstream.requests.readRequest(bytes, path)),
  };
}

/** Halves of surrogate pairs, which clients cut texts into, and which strict upstreams refuse. */
const half = /\\(?:u(d[89a-f][0-9a-f]{2})|.)/g;

/** Replaces them in JSON text, where they are the only characters that are written in this way. */
function wellFormed(text: string): string {
  if (!text.includes("\\ud")) return text;
  return text.replaceAll(half, (escape: string, code?: string) =>
    code === undefined ? escape : "\\ufffd",
  );
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
  // An upstream that answers in streams alone refuses calls with JSON nevertheless.
  if (body === undefined && upstream.streamsOnly === true) {
    return finishAnswer(translated, readStream(translated, bytes));
  }
  if (body === undefined) {
    const fault = { code: "answer-malformed", message: "the answer is not JSON", type: "" };
    return { bytes, events: [], fault };
  }
  return finishAnswer(translated, restore(upstream.readAnswer(body, asked.responseId)));
}

/** Reads a stream that came as a whole. */
function readStream(translated: Translated, bytes: Uint8Array): readonly CanonicalEvent[] {
  const source = openEventSource(translated);
  return [...source.push(bytes), ...source.end()];
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
