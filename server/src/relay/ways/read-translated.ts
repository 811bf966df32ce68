/** Reads the answer to a request that was translated, and writes it in the client's format. */

import { foldAnswer } from "#canonical/answer.ts";
import type { CanonicalEvent } from "#canonical/event.ts";
import type {
  AnsweredRequest,
  ClientTranslation,
  Framing,
  UpstreamTranslation,
} from "#formats/translation.ts";
import type { ClientFormat, ErrorBody } from "#formats/format.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import {
  type EventSource,
  openEventSource,
  openWholeSource,
  parseAnswer,
  type TranslatedSource,
} from "#relay/meter/event-source.ts";
import { beginningOf, listAsStream, looksStreamed } from "#relay/meter/other-mode.ts";
import type { StreamMeter } from "#relay/meter/stream-meter.ts";
import { openTranslatedMeter } from "#relay/meter/translated-meter.ts";
import { meterTranslated } from "#relay/meter/translated-output.ts";
import {
  type AnsweredCall,
  type BadAnswer,
  badAnswer,
  type Reading,
  reasonOf,
  type WholeAnswer,
  type WholeAsStream,
} from "./way.ts";

/** A call whose request was translated. */
export type TranslatedCall = Pick<Reading, "betas" | "changesPrice" | "losses" | "received"> &
  Pick<TranslatedSource, "restore"> & {
    readonly client: ClientTranslation;
    readonly upstream: UpstreamTranslation;
    /** What the writer of the answer knows of the request. */
    readonly asked: AnsweredRequest;
  };

/** Framings whose streams begin with other bytes than JSON does. */
const eventFramings: ReadonlySet<Framing> = new Set(["meta-events", "sse"]);

/** Framings whose streams are JSON. */
const jsonFramings: ReadonlySet<Framing> = new Set(["json-lines", "whole-body"]);

export function readTranslated(channel: ChannelView, translated: TranslatedCall): Reading {
  const { asked, betas, changesPrice, losses, received, restore, upstream } = translated;
  const source = { upstream, restore, seed: asked.responseId };
  return {
    losses,
    betas,
    changesPrice,
    sendsFileAlone: false,
    passesOn: false,
    sign: signOf(upstream.framing),
    received,
    isParsed: always,
    openMeter: (call) => openMeter(translated, call, openEventSource(source)),
    openWhole: (call, bytes) => openWhole(translated, call, bytes, source),
    readWhole: (_, bytes, mediaType) => readWhole(channel, translated, bytes, mediaType),
  };
}

const always = (): boolean => true;

function signOf(framing: Framing): Reading["sign"] {
  if (eventFramings.has(framing)) return "bytes";
  return jsonFramings.has(framing) ? "none" : "type";
}

function openMeter(
  { asked, client }: TranslatedCall,
  { format }: AnsweredCall,
  source: EventSource,
): StreamMeter {
  return openTranslatedMeter(source, client.openStreamWriter(asked), issuedIn(format));
}

/** Returns what finds in written events what only its issuer can read; undefined: nothing. */
function issuedIn({
  issued,
}: Pick<ClientFormat, "issued">): ((bytes: Uint8Array) => readonly string[]) | undefined {
  return issued?.readBy === "family" ? issued.allOf : undefined;
}

function openWhole(
  translated: TranslatedCall,
  call: AnsweredCall,
  bytes: Uint8Array,
  source: TranslatedSource,
): WholeAsStream {
  const events = listAsStream(bytes);
  const isWhole = events === bytes;
  const opened = isWhole ? openWholeSource(source) : openEventSource(source);
  return { meter: openMeter(translated, call, opened), events };
}

function readWhole(
  channel: ChannelView,
  translated: TranslatedCall,
  read: Uint8Array,
  mediaType: string,
): BadAnswer | WholeAnswer {
  const { bytes, events, fault } = translateAnswer(translated, read);
  const metered = meterTranslated(events, fault);
  if (fault !== undefined) return badAnswer(reasonOf(fault), fault);
  return { kind: "whole", channel, bytes, metered, mediaType };
}

/** A whole answer in the client's format, and what it contains. */
type TranslatedAnswer = {
  readonly bytes: Uint8Array;
  readonly events: readonly CanonicalEvent[];
  readonly fault: ErrorBody | undefined;
};

function translateAnswer(translated: TranslatedCall, bytes: Uint8Array): TranslatedAnswer {
  const { asked, upstream, restore } = translated;
  const body = parseAnswer(bytes);
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
function isInFrames({ framing }: UpstreamTranslation, bytes: Uint8Array): boolean {
  return framing === "json-lines" ? beginningOf(bytes) === "json" : looksStreamed(bytes);
}

/** Reads a stream that came as a whole. */
function readStream(
  { asked, restore, upstream }: TranslatedCall,
  bytes: Uint8Array,
): readonly CanonicalEvent[] {
  const source = openEventSource({ upstream, restore, seed: asked.responseId });
  return [...source.push(listAsStream(bytes)), ...source.end()];
}

function finishAnswer(
  { asked, client }: TranslatedCall,
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
