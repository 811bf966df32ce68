/**
 * From the client's request to the one a channel gets. Client and upstream speak the same format:
 * the bytes stay as they came but for what the channel has to read differently.
 */

import type { Modality } from "#canonical/modality.ts";
import type { FormatId } from "#formats/registry.ts";
import type { Fields } from "#http/client-request.ts";
import { serves as providerServes, upstreamUrl } from "#providers/upstream-url.ts";
import type { RequestBody } from "#formats/openai-chat/client/read-request.ts";
import { type BodyChanges, rewriteBody } from "#formats/openai-chat/client/rewrite-body.ts";
import type { ChannelView } from "#relay/snapshot.ts";
import { parseTarget, type Target } from "#network/target.ts";

/** The format of every ingress, and so of every upstream. */
export const clientFormat: FormatId = "openai-chat";

export type OutboundRequest = {
  readonly target: Target;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

export type OutboundInput = {
  readonly channel: ChannelView;
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly body: RequestBody;
  readonly isStream: boolean;
  /** Headers of the client that go along; null: none. */
  readonly passed: Readonly<Record<string, string>> | null;
};

export function serves(channel: ChannelView, modality: Modality): boolean {
  return providerServes(channel.provider, { format: clientFormat, modality });
}

/** The name a channel's upstream knows the model by. */
export function upstreamModel(channel: ChannelView, model: string): string {
  return channel.modelMapping.get(model) ?? model;
}

/** Undefined: the channel has no address for this kind of call. */
export function translate(input: OutboundInput): OutboundRequest | undefined {
  const { channel, key, bytes, body, isStream, passed } = input;
  const model = upstreamModel(channel, body.model);
  const target = targetOf(channel, body.modality, model);
  if (target === null) return undefined;
  const headers = headersOf(channel, key, target, isStream);
  const rewritten = rewriteBody(bytes, body, changesFor(channel, isStream, model));
  return {
    target,
    headers: passed === null ? headers : { ...headers, ...passed },
    body: channel.paramOverride === null ? rewritten : override(rewritten, channel.paramOverride),
  };
}

function changesFor(channel: ChannelView, isStream: boolean, model: string): BodyChanges {
  return isStream && channel.provider.asksForUsage ? { model, includeUsage: true } : { model };
}

/** Decided by the client; an upstream that streams otherwise than it was asked cannot be read. */
const keptFields: ReadonlySet<string> = new Set([
  "__proto__",
  "constructor",
  "prototype",
  "stream",
  "stream_options",
]);

/** The one case in which a body is written anew. */
function override(bytes: Uint8Array, fields: Readonly<Record<string, unknown>>): Uint8Array {
  // `readRequestBody` has found one JSON object in it.
  const body = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
  for (const [name, value] of Object.entries(fields)) {
    if (!keptFields.has(name)) body[name] = value;
  }
  return new TextEncoder().encode(JSON.stringify(body));
}

/** What a channel's attempts have in common. A changed channel is a new view, which starts over. */
type Prepared = {
  readonly targets: Map<string, Target | null>;
  readonly headers: Map<string, Readonly<Record<string, string>>>;
};

const prepared = new WeakMap<ChannelView, Prepared>();

/** Addresses may contain the model: a channel with more models than this starts over. */
const targetsMax = 1_000;

function prepare(channel: ChannelView): Prepared {
  const known = prepared.get(channel);
  if (known !== undefined) return known;
  const fresh = { targets: new Map(), headers: new Map() };
  prepared.set(channel, fresh);
  return fresh;
}

function targetOf(channel: ChannelView, modality: Modality, model: string): Target | null {
  const { targets } = prepare(channel);
  const name = `${modality} ${model}`;
  const known = targets.get(name);
  if (known !== undefined) return known;
  const url = upstreamUrl(channel.provider, { channel, format: clientFormat, modality, model });
  const target = url === undefined ? null : parseTarget(url);
  if (targets.size >= targetsMax) targets.clear();
  targets.set(name, target);
  return target;
}

function headersOf(
  channel: ChannelView,
  key: string,
  target: Target,
  isStream: boolean,
): Readonly<Record<string, string>> {
  const { headers } = prepare(channel);
  const name = `${isStream ? "s" : "w"}${target.host}${target.port} ${key}`;
  const known = headers.get(name);
  if (known !== undefined) return known;
  const made = {
    ...baseHeaders(channel, key, target),
    "content-type": "application/json",
    accept: isStream ? "text/event-stream" : "application/json",
  };
  headers.set(name, made);
  return made;
}

/** Nothing of the client's: neither its address nor its program is the upstream's business. */
export function baseHeaders(
  channel: ChannelView,
  key: string,
  target: Target,
): Readonly<Record<string, string>> {
  return {
    ...channel.provider.authHeaders(key, channel),
    host: target.host + target.port,
    accept: "application/json",
    // What a compressed answer grows to is not known.
    "accept-encoding": "identity",
    "user-agent": "tollgate",
  };
}

/** Headers that mean something to an upstream and say nothing of the client. */
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
