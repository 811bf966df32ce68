/**
 * Writes the request of a call that is translated in the upstream's format, and says how its answer
 * is read.
 */

import type { JsonObject } from "#base/json.ts";
import { wellFormedJson } from "#base/json/well-formed.ts";
import type { CanonicalRequest } from "#canonical/request.ts";
import type { BodyRefusal, RequestBody, RequestPath, RequestReader } from "#formats/format.ts";
import { writeFitted } from "#formats/shared/fit/fit-request.ts";
import { openToolRestorer } from "#formats/shared/restore-tools.ts";
import { listOf, objectOf, parseBody } from "#formats/shared/read-json.ts";
import { wrongArguments } from "#formats/shared/scan/crowded.ts";
import type {
  AnsweredRequest,
  ClientTranslation,
  Quirks,
  Translation,
  UpstreamTranslation,
} from "#formats/translation.ts";
import {
  type TranslatedFormatId,
  translations,
  type UpstreamFormatId,
} from "#formats/translation-registry.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { isInstructed, withInstructions } from "./instructions.ts";
import type { PreparedWay } from "./prepare.ts";
import { readTranslated, type TranslatedCall } from "./read-translated.ts";
import { rewriteRequest, withOverride } from "./request.ts";
import type { Received, WayFacts, Written, WrittenCall } from "./way.ts";

/** The halves of both formats, and how the provider deviates from its own. */
export type TranslatedFormats = {
  readonly client: ClientTranslation;
  readonly upstream: UpstreamTranslation;
  readonly quirks: Quirks;
};

/** Finds how requests are translated from the client's format to the upstream's; undefined: not. */
export function findTranslation({
  channel,
  formatId,
  upstreamId,
}: WayFacts): TranslatedFormats | undefined {
  if (!isTranslated(formatId) || !isTranslated(upstreamId)) return undefined;
  const { client } = translations[formatId];
  const { textClient }: Translation = translations[formatId];
  return {
    client: channel.thinksInText ? (textClient ?? client) : client,
    upstream: translations[upstreamId].upstream,
    quirks: quirksOf(channel, upstreamId),
  };
}

function isTranslated(id: UpstreamFormatId): id is TranslatedFormatId {
  return Object.hasOwn(translations, id);
}

/** Returns how the channel deviates from the format: as its provider does, or as it is set. */
function quirksOf({ provider, reasoningField, other }: ChannelView, id: UpstreamFormatId): Quirks {
  const { quirks = {}, quirksOf: ofChannel, takesBetas = false } = provider.formats[id] ?? {};
  const { reasoningField: own, ...others } = { ...quirks, ...ofChannel?.({ other }) };
  const field = reasoningField === "provider" ? own : reasoningField;
  const isSent = field !== undefined && field !== "none";
  return { ...others, takesBetas, ...(isSent ? { reasoningField: field } : {}) };
}

/** How a request is translated. `isRewritten`: it stays, and only the answer is written anew. */
type Translating = TranslatedFormats & { readonly isRewritten: boolean };

/**
 * Writes the request in the upstream's format.
 *
 * @param hashOf makes the keyed hash that stands for a name of the client's which is too long.
 */
export function writeTranslated(
  way: PreparedWay,
  translating: Translating,
  call: WrittenCall,
  received: Received,
  hashOf: (text: string) => string,
): BodyRefusal | Written {
  const { client, isRewritten, upstream } = translating;
  const { model, requestId } = call;
  const { body } = received;
  const sent = objectOf(parseBody(received.bytes));
  const given = isInstructed(way, body) ? withInstructions(way, sent) : sent;
  const path = { modality: body.modality, model, stream: call.isStream };
  const parsed = client.parseRequest(given, path);
  if ("message" in parsed) return parsed;
  const wrong = wrongArguments(parsed.request.items);
  if (wrong !== "") return { code: "invalid_request", param: "", message: wrong };
  const request = { ...parsed.request, model: way.model, stream: way.asksStream };
  const written = isRewritten
    ? writeOwn(way, upstream, request, received)
    : writeFor(way, { ...translating, hashOf }, request, call, body);
  if ("message" in written) return written;
  const { betas, bytes, changesPrice, restore } = written;
  const asked: AnsweredRequest = {
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
  const losses = isRewritten ? [] : [...parsed.losses, ...written.losses];
  const translated = { client, upstream, asked, received, restore, betas, changesPrice, losses };
  return { bytes, reading: readTranslated(way.channel, translated) };
}

/** A request in the upstream's format. */
type FittedRequest = Pick<TranslatedCall, "betas" | "changesPrice" | "losses" | "restore"> & {
  readonly bytes: Uint8Array;
};

/** Writes a request that stays in its format. */
function writeOwn(
  way: PreparedWay,
  { requests }: UpstreamTranslation,
  request: CanonicalRequest,
  received: Received,
): FittedRequest {
  return {
    bytes: rewriteRequest(way, received, requests),
    restore: openToolRestorer(request),
    losses: [],
    betas: [],
    changesPrice: false,
  };
}

function writeFor(
  way: PreparedWay,
  fitting: TranslatedFormats & { readonly hashOf: (text: string) => string },
  request: CanonicalRequest,
  { isStream }: WrittenCall,
  body: RequestBody,
): BodyRefusal | FittedRequest {
  const { requests } = fitting.upstream;
  const written = writeFitted(request, fitting);
  if ("message" in written) return written;
  const path = { modality: body.modality, model: way.model, stream: isStream };
  return {
    bytes: encode(withOverride(way.channel, written.body, requests)),
    losses: written.losses,
    restore: written.restore,
    betas: written.betas ?? [],
    changesPrice: changesPrice(body, readPriced(requests, written.body, path)),
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
