/**
 * Turns the client's request into the request to a channel's upstream. Both speak the same format,
 * so the bytes stay, except for what the channel requires: the upstream model, the request for
 * usage in streams, overridden parameters.
 */

import type { Modality } from "#canonical/modality.ts";
import type {
  BodyChanges,
  ClientFormat,
  RequestBody,
  UpstreamFormat,
  UsageReader,
} from "#formats/format.ts";
import { type ClientFormatId, type FormatId, formats } from "#formats/registry.ts";
import type { Fields } from "#http/client-request.ts";
import { parseTarget, type Target } from "#network/target.ts";
import { serves as providerServes, upstreamUrl } from "#providers/upstream-url.ts";
import type { ChannelView } from "#relay/snapshot.ts";

/** Whether the channel can answer calls of this modality in this format. */
export function serves(channel: ChannelView, format: ClientFormatId, modality: Modality): boolean {
  return providerServes(channel.provider, { format, modality });
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
    readonly isStream: boolean;
    /** Null: the channel has no valid URL for this kind of call. */
    readonly target: Target | null;
    /** The headers of requests with each of the channel's keys, as far as they were needed. */
    readonly headers: Map<string, Headers>;
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
  const { upstream: format } = formats[formatId];
  const own = channel.provider.formats[formatId];
  const model = channel.modelMapping.get(named) ?? named;
  return {
    channel,
    formatId,
    isStream,
    model,
    asksForUsage: isStream && own?.asksForUsage === true,
    target: targetOf(channel, formatId, modality, model),
    headers: new Map(),
    format,
    readUsage: own?.readUsage ?? format.readUsage,
  };
}

/** Makes the body of the request for a channel's upstream. */
export function translate(way: Way, bytes: Uint8Array, body: RequestBody): Uint8Array {
  const { client } = formats[way.formatId];
  const rewritten = client.rewriteRequest(bytes, body, way);
  const { paramOverride } = way.channel;
  return paramOverride === null ? rewritten : override(rewritten, paramOverride, client);
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

/**
 * Applies a channel's parameter override. Nothing else changes the body beyond single values: here
 * it is parsed and serialised again.
 */
function override(
  bytes: Uint8Array,
  given: Readonly<Record<string, unknown>>,
  { fields }: ClientFormat,
): Uint8Array {
  // `readRequest` has checked that the bytes are one JSON object.
  const body = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
  for (const [name, value] of Object.entries(given)) {
    if (!unsafeNames.has(name) && !fields.keptByOverride.includes(name)) body[name] = value;
  }
  return new TextEncoder().encode(JSON.stringify(body));
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

function targetOf(
  channel: ChannelView,
  format: FormatId,
  modality: Modality,
  model: string,
): Target | null {
  const { targets } = prepare(channel);
  const name = `${format} ${modality} ${model}`;
  const known = targets.get(name);
  if (known !== undefined) return known;
  const url = upstreamUrl(channel.provider, { channel, format, modality, model });
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

function headersOf({ channel, formatId, isStream }: Way, target: Target, key: string): Headers {
  const { headers } = prepare(channel);
  const name = `${isStream ? "s" : "w"}${formatId} ${target.host}${target.port} ${key}`;
  const known = headers.get(name);
  if (known !== undefined) return known;
  const { accepts } = formats[formatId].upstream;
  // No header identifies the client: upstreams learn neither its address nor its program.
  const made = {
    ...channel.provider.authHeaders(key, channel),
    host: target.host + target.port,
    accept: isStream ? accepts.stream : accepts.whole,
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
