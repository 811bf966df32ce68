/**
 * Reads long answers on a thread of their own: to parse a long answer and to write it anew takes
 * longer than one turn of the relaying thread may. The thread makes the call's way again out of plain
 * values, so both threads read an answer by the same code.
 */

import type { Modality } from "#canonical/modality.ts";
import { type ClientFormatId, formats } from "#formats/registry.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import type { Provider } from "#providers/provider.ts";
import type { MeteredAnswer } from "#relay/meter/answer-meter.ts";
import { openWay } from "./open-way.ts";
import type { AnsweredCall, BadAnswer, Received, Way, WholeAnswer, WrittenCall } from "./way.ts";

/**
 * The longest answer that the relaying thread itself parses, in bytes: those full of small values
 * take half of one of its turns.
 */
export const parsedHereMax = 128 * 1024;

/** An answer, and what was asked: plain values alone, which can go to another thread. */
export type ApartQuestion = {
  readonly channel: Omit<ChannelView, "provider">;
  /** The number of the channel's provider. */
  readonly provider: number;
  readonly formatId: ClientFormatId;
  readonly modality: Modality;
  readonly call: WrittenCall;
  readonly received: Received;
  /** Whether the request was written anew, and its answer has to be. */
  readonly isRewritten: boolean;
  readonly answer: Uint8Array;
  readonly mediaType: string;
};

/** What was read: plain values alone. */
export type ApartAnswer =
  | BadAnswer
  | (Pick<WholeAnswer, "bytes" | "kind" | "mediaType"> & {
      readonly metered: Omit<MeteredAnswer, "readOutput">;
      readonly output: ReturnType<MeteredAnswer["readOutput"]>;
    });

const noBytes = new Uint8Array();

/** Makes the question that `readApart` answers. */
export function askApart(
  call: AnsweredCall & WrittenCall,
  { channel, formatId, modality, reading: ofWay }: Way,
  reading: Way["reading"],
  { answer, mediaType }: Pick<ApartQuestion, "answer" | "mediaType">,
): ApartQuestion {
  const { model, isStream, requestId, startedAt, conversation } = call;
  const { body, bytes } = reading.received ?? { body: call.body, bytes: noBytes };
  return {
    channel: withoutSecrets(channel),
    provider: channel.provider.type,
    formatId,
    modality,
    call: { model, isStream, requestId, startedAt, conversation },
    received: { body, bytes },
    isRewritten: reading !== ofWay,
    answer,
    mediaType,
  };
}

/** Leaves out what says nothing of answers, and may be secret or long. */
function withoutSecrets({ provider: _, ...channel }: ChannelView): ApartQuestion["channel"] {
  return {
    ...channel,
    proxy: null,
    keys: [],
    models: new Set(),
    groups: new Set(),
    statusCodeMapping: new Map(),
    headerOverride: null,
    costs: null,
  };
}

/** @param provider the one with the question's number. */
export function readApart(question: ApartQuestion, provider: Provider): ApartAnswer {
  const { answer, call, formatId, mediaType, modality, received } = question;
  const { isStream, model } = call;
  const channel: ChannelView = { ...question.channel, provider };
  const way = openWay(channel, { formatId, modality, isStream, model });
  const reading = question.isRewritten ? readingOf(way, question) : way.reading;
  const asked = { body: received.body, format: formats[formatId].client };
  const read = reading.readWhole(asked, answer, mediaType);
  if (read.kind === "bad") return read;
  const { bytes, metered } = read;
  return {
    kind: "whole",
    bytes,
    mediaType: read.mediaType,
    metered: plainOf(metered),
    output: metered.readOutput(),
  };
}

/** Writes the request once more, for what that says of the answer. */
function readingOf(way: Way, { call, received }: ApartQuestion): Way["reading"] {
  // Of the request, which was sent long ago, only what names are made of is different.
  const written = way.write(call, received, (text) => text.slice(0, endUserLength));
  if (!("reading" in written)) throw new Error("the request was written in another way before");
  return written.reading;
}

/** As long as the keyed hash that stands for a long name. */
const endUserLength = 64;

function plainOf(metered: MeteredAnswer): Omit<MeteredAnswer, "readOutput"> {
  const { complete, contentBytes, fault, outputTokens, searches, tier, usage } = metered;
  return { complete, contentBytes, fault, outputTokens, searches, tier, usage };
}

/** Returns what was read, as if it had been read here. */
export function asReadHere(answer: ApartAnswer, channel: ChannelView): BadAnswer | WholeAnswer {
  if (answer.kind === "bad") return answer;
  const { output, metered, ...whole } = answer;
  return { ...whole, channel, metered: { ...metered, readOutput: () => output } };
}
