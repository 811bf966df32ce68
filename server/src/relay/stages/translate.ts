/**
 * Turns the client's request into the request to a channel's upstream. If both speak the same
 * format, the bytes stay, except for what the channel requires: the upstream model, the request for
 * usage in streams, overridden parameters. Otherwise `translation.ts` makes another request.
 */

import { type JsonObject, parseExact } from "#base/json.ts";
import type { Modality } from "#canonical/modality.ts";
import type {
  BodyChanges,
  ClientFormat,
  RequestBody,
  RequestReader,
  UpstreamFormat,
  UsageReader,
} from "#formats/format.ts";
import type { Conversion } from "#formats/conversion.ts";
import { convertedTo, findConversion } from "#formats/conversions.ts";
import { type ClientFormatId, formats } from "#formats/registry.ts";
import { hasWrapped } from "#formats/shared/opaque-text.ts";
import type {
  ClientTranslation,
  Quirks,
  Translation,
  UpstreamTranslation,
} from "#formats/translation.ts";
import {
  type TranslatedFormatId,
  translations,
  type UpstreamFormatId,
} from "#formats/translations.ts";
import type { Fields } from "#http/client-request.ts";
import { parseTarget, type Target } from "#network/target.ts";
import type { Provider, UrlTarget } from "#providers/provider.ts";
import { serves as providerServes, upstreamUrl } from "#providers/upstream-url.ts";
import type { ChannelView } from "#ports/snapshot.ts";

/** Whether the channel can answer calls of this modality in this format. */
export function serves(channel: ChannelView, format: ClientFormatId, modality: Modality): boolean {
  return upstreamFormat(channel.provider, format, modality, null) !== undefined;
}

/** Whether the channel's provider itself speaks the format. */
export function speaks(channel: ChannelView, format: ClientFormatId, modality: Modality): boolean {
  return providerServes(channel.provider, { format, modality });
}

/**
 * Returns the format in which the provider is asked: the client's own, or else the first that it
 * speaks. Undefined: it cannot answer such calls.
 *
 * @param model the upstream model; null: any.
 */
export function upstreamFormat(
  provider: Provider,
  format: ClientFormatId,
  modality: Modality,
  model: string | null,
): UpstreamFormatId | undefined {
  const fits = (id: UpstreamFormatId): boolean => {
    const { models } = provider.formats[id] ?? {};
    const takesModel = model === null || models === undefined || models.test(model);
    return takesModel && providerServes(provider, { format: id, modality });
  };
  if (fits(format)) return format;
  if (modality !== "chat") return convertedTo(modality, format).find(fits);
  // Safe cast: these are the keys of the type.
  const ids = Object.keys(provider.formats) as readonly UpstreamFormatId[];
  return ids.find(fits);
}

function isTranslated(id: UpstreamFormatId): id is TranslatedFormatId {
  return Object.hasOwn(translations, id);
}

function isPassedOn(id: UpstreamFormatId): id is ClientFormatId {
  return Object.hasOwn(formats, id);
}

/** How to read the answers of a channel's upstream. */
export type AnswerReading = {
  readonly format: UpstreamFormat;
  /** Reads usage objects: the provider's function, or the format's if the provider has none. */
  readonly readUsage: UsageReader;
};

/** How a channel's upstream is asked, the same for all calls of a model and a kind. */
export type Way = AnswerReading &
  BodyChanges & {
    readonly channel: ChannelView;
    /** The client's format. */
    readonly formatId: ClientFormatId;
    /** The format in which the upstream is asked. */
    readonly upstreamId: UpstreamFormatId;
    /**
     * Null: both are the same, so that the bytes pass through, or `conversion` says how. Where both
     * are the same and it is not null, only the answer is written anew.
     */
    readonly translation: WayTranslation | null;
    /** How small questions are converted, such as embeddings; null: they are not. */
    readonly conversion: Conversion | null;
    readonly isStream: boolean;
    /** Whether the upstream is asked for a stream, which some are for whole answers, too. */
    readonly asksStream: boolean;
    /** Null: the channel has no valid URL for this kind of call. */
    readonly target: Target | null;
    /** The headers of requests with each of the channel's keys, as far as they were needed. */
    readonly headers: Map<string, Headers>;
  };

/** How requests and answers are translated. */
export type WayTranslation = {
  readonly client: ClientTranslation;
  readonly upstream: UpstreamTranslation;
  readonly quirks: Quirks;
};

type Headers = Readonly<Record<string, string>>;

type Asked = {
  readonly formatId: ClientFormatId;
  readonly modality: Modality;
  readonly isStream: boolean;
  /** The model that the client names. */
  readonly model: string;
};

export function openWay(
  channel: ChannelView,
  { formatId, modality, isStream, model: named }: Asked,
): Way {
  const model = channel.modelMapping.get(named) ?? named;
  const upstreamId = upstreamFormat(channel.provider, formatId, modality, model) ?? formatId;
  const conversion = findConversion(modality, formatId, upstreamId) ?? null;
  // All formats report errors in forms that each of them reads; the rest of the client's format
  // reads answers that are passed on.
  const isConverted = conversion !== null && isPassedOn(upstreamId);
  const { upstream: format } = formats[isConverted ? upstreamId : formatId];
  const own = channel.provider.formats[upstreamId];
  const translation = translationOf(channel, { formatId, modality }, upstreamId);
  const asksStream = isStream || translation?.upstream.streamsOnly === true;
  return {
    channel,
    formatId,
    upstreamId,
    translation,
    conversion: upstreamId === formatId ? null : conversion,
    isStream,
    asksStream,
    model,
    asksForUsage: isStream && own?.asksForUsage === true,
    target: targetOf(channel, { format: upstreamId, modality, model, isStream: asksStream }),
    headers: new Map(),
    format,
    readUsage: own?.readUsage ?? format.readUsage,
  };
}

/** Returns how a call is translated; null: it is not, so that the bytes pass through. */
function translationOf(
  channel: ChannelView,
  { formatId, modality }: Pick<Asked, "formatId" | "modality">,
  upstreamId: UpstreamFormatId,
): WayTranslation | null {
  const { forcesFormat, thinksInText } = channel;
  const isCompletion = formatId === "openai-chat" && modality === "chat";
  const isRewritten = isCompletion && (forcesFormat || thinksInText);
  return upstreamId === formatId && !isRewritten
    ? null
    : translationTo(channel, formatId, upstreamId);
}

function translationTo(
  channel: ChannelView,
  formatId: ClientFormatId,
  upstreamId: UpstreamFormatId,
): WayTranslation | null {
  if (!isTranslated(formatId) || !isTranslated(upstreamId)) return null;
  const { client } = translations[formatId];
  const { textClient }: Translation = translations[formatId];
  return {
    client: channel.thinksInText ? (textClient ?? client) : client,
    upstream: translations[upstreamId].upstream,
    quirks: quirksOf(channel, upstreamId),
  };
}

/** Returns how the channel deviates from the format: as its provider does, or as it is set. */
function quirksOf({ provider, reasoningField, other }: ChannelView, id: UpstreamFormatId): Quirks {
  const { quirks = {}, quirksOf: ofChannel, takesBetas = false } = provider.formats[id] ?? {};
  const { reasoningField: own, ...others } = { ...quirks, ...ofChannel?.({ other }) };
  const field = reasoningField === "provider" ? own : reasoningField;
  const isSent = field !== undefined && field !== "none";
  return { ...others, takesBetas, ...(isSent ? { reasoningField: field } : {}) };
}

/**
 * Returns the translation for a request whose conversation began at another provider, in a format
 * that this one speaks too: it would refuse what the other one signed. Null: the bytes can pass.
 */
export function cleaningOf(
  way: Way,
  { body, bytes }: { readonly body: RequestBody; readonly bytes: Uint8Array },
): WayTranslation | null {
  if (body.modality !== "chat" || !hasWrapped(bytes)) return null;
  return translationTo(way.channel, way.formatId, way.upstreamId);
}

/** Makes the body of the request for a channel's upstream that speaks the client's format. */
export function translate(way: Way, bytes: Uint8Array, body: RequestBody): Uint8Array {
  const { client } = formats[way.formatId];
  const rewritten = client.rewriteRequest(bytes, body, way);
  const instructed = isInstructed(way, body)
    ? write(withInstructions(way, read(rewritten)))
    : rewritten;
  return applyOverride(way, instructed);
}

/**
 * Returns the channel's text for the model in front of such a call's own instructions; empty: there
 * is none.
 */
export function instructionsOf(
  { channel, formatId }: Pick<Way, "channel" | "formatId">,
  { modality }: Pick<RequestBody, "modality">,
): string {
  const { client }: { readonly client: ClientFormat } = formats[formatId];
  return modality === "chat" && client.addInstructions !== undefined ? channel.systemPrompt : "";
}

/** Whether the channel has such a text for the call. */
export function isInstructed(way: Way, body: RequestBody): boolean {
  return instructionsOf(way, body) !== "";
}

/** Puts the channel's text in front of the instructions in a request in the client's format. */
export function withInstructions({ channel, formatId }: Way, body: JsonObject): JsonObject {
  const { client }: { readonly client: ClientFormat } = formats[formatId];
  return client.addInstructions?.(body, channel.systemPrompt) ?? body;
}

/** Reads bytes of which `readRequest` has checked that they are one JSON object. */
function read(bytes: Uint8Array): JsonObject {
  return parseExact(new TextDecoder().decode(bytes)) as JsonObject;
}

function write(body: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(body));
}

/** Returns what reads requests in the upstream's format. */
export function requestReader(way: Way): RequestReader {
  const { conversion, formatId, translation, upstreamId } = way;
  if (conversion !== null && isPassedOn(upstreamId)) return formats[upstreamId].client;
  return translation === null ? formats[formatId].client : translation.upstream.requests;
}

/**
 * Applies the channel's parameter override, if it has one, to a request in the upstream's format.
 * Nothing else changes the body beyond single values: here it is parsed and serialised again.
 */
export function applyOverride(way: Way, bytes: Uint8Array): Uint8Array {
  return way.channel.paramOverride === null ? bytes : write(withOverride(way, read(bytes)));
}

/**
 * Returns the headers of the request for a channel's upstream.
 *
 * @param passed headers of the client's request that are passed on; null: none.
 */
export function headersTo(way: Way, target: Target, key: string, passed: Headers | null): Headers {
  let headers = way.headers.get(key);
  if (headers === undefined) {
    headers = headersOf(way, target, key);
    way.headers.set(key, headers);
  }
  return passed === null ? headers : { ...headers, ...passed };
}

/** Field names that would change the object's prototype instead of setting a field. */
const unsafeNames: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** The same for a request that is not written out yet. */
export function withOverride(way: Way, body: JsonObject): object {
  const { paramOverride } = way.channel;
  if (paramOverride === null) return body;
  const { keptByOverride } = requestReader(way).fields;
  const changed: Record<string, unknown> = { ...body };
  for (const [name, value] of Object.entries(paramOverride)) {
    if (!unsafeNames.has(name) && !keptByOverride.includes(name)) changed[name] = value;
  }
  return changed;
}

/**
 * URLs and headers of a channel's requests, kept to be used again: connections are kept by the
 * object of the URL. A changed channel is a new `ChannelView`, for which both are made anew.
 */
type Prepared = {
  readonly targets: Map<string, Target | null>;
  readonly headers: Map<string, Headers>;
};

const prepared = new WeakMap<ChannelView, Prepared>();

/**
 * How many URLs are kept for a channel, one for each model. When there are more, all are dropped.
 */
const targetsMax = 1_000;

function prepare(channel: ChannelView): Prepared {
  const known = prepared.get(channel);
  if (known !== undefined) return known;
  const fresh = { targets: new Map(), headers: new Map() };
  prepared.set(channel, fresh);
  return fresh;
}

function targetOf(channel: ChannelView, asked: Omit<UrlTarget, "channel">): Target | null {
  const { targets } = prepare(channel);
  const { format, modality, model, isStream } = asked;
  const name = `${format} ${modality} ${isStream ? "s" : "w"} ${model}`;
  const known = targets.get(name);
  if (known !== undefined) return known;
  const url = upstreamUrl(channel.provider, { channel, ...asked });
  const target = url === undefined ? null : parseTarget(url, channel.proxy);
  if (targets.size >= targetsMax) targets.clear();
  targets.set(name, target);
  return target;
}

/** Returns the channel's own headers, with its key where they name it. */
function overriddenHeaders({ headerOverride }: ChannelView, key: string): Headers {
  const given = Object.entries(headerOverride ?? {});
  return Object.fromEntries(
    given.map(([name, value]) => [name.toLowerCase(), value.replaceAll("{api_key}", () => key)]),
  );
}

function headersOf(way: Way, target: Target, key: string): Headers {
  const { asksStream, channel, upstreamId } = way;
  const { headers } = prepare(channel);
  const name = `${asksStream ? "s" : "w"}${upstreamId} ${target.host}${target.port} ${key}`;
  const known = headers.get(name);
  if (known !== undefined) return known;
  const { accepts } = way.translation?.upstream ?? way.format;
  // No header identifies the client: upstreams learn neither its address nor its program.
  const made = {
    ...channel.provider.authHeaders(key, channel),
    host: target.host + target.port,
    accept: asksStream ? accepts.stream : accepts.whole,
    // Forbids compression, because a compressed answer could unpack to any size.
    "accept-encoding": "identity",
    "user-agent": "tollgate",
    "content-type": "application/json",
    ...overriddenHeaders(channel, key),
  };
  headers.set(name, made);
  return made;
}

/**
 * Headers of the client's request that are passed on: upstreams understand them, and they do not
 * identify the client.
 */
const passedNames = ["anthropic-beta", "anthropic-version", "idempotency-key", "openai-beta"];
const passedLengthMax = 512;

export function passedHeaders(headers: Fields): Readonly<Record<string, string>> | null {
  let passed: Record<string, string> | null = null;
  for (const name of passedNames) {
    const value = headers.get(name);
    if (value === null || value.length > passedLengthMax || !/^[\x20-\x7e]+$/.test(value)) continue;
    passed ??= {};
    passed[name] = value;
  }
  return passed;
}
