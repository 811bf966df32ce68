/** Where the requests of a way go, and their headers. */

import type { Fields } from "#http/client-request.ts";
import { parseTarget, type Target } from "#network/target.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import type { UrlTarget } from "#providers/provider.ts";
import { upstreamUrl } from "#providers/upstream-url.ts";
import type { Reading, Way } from "./way.ts";

type Headers = Readonly<Record<string, string>>;

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

/** Returns the header fields of the client's request that go on, and the type of a form. */
export function passedTo(
  { channel, speaksFormat, upstreamId }: Way,
  { betas }: Reading,
  passed: Headers | null,
  formType: string | null,
): Headers | null {
  if (betas.length > 0) return { "anthropic-beta": betas.join(",") };
  if (formType !== null) return { ...passed, "content-type": formType };
  if (!speaksFormat) return null;
  if (passed?.["anthropic-beta"] === undefined) return passed;
  if (channel.provider.formats[upstreamId]?.takesBetas === true) return passed;
  const { "anthropic-beta": _, ...rest } = passed;
  return rest;
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

/** Returns where requests for a channel go; null: it has no valid URL for them. */
export function targetOf(channel: ChannelView, asked: Omit<UrlTarget, "channel">): Target | null {
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
  const { accepts, asksStream, channel, upstreamId } = way;
  const { headers } = prepare(channel);
  const name = `${asksStream ? "s" : "w"}${upstreamId} ${target.host}${target.port} ${key}`;
  const known = headers.get(name);
  if (known !== undefined) return known;
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
