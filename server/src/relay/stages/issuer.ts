/**
 * Keeps a conversation at the upstream that began it, as far as only that one can go on: it alone
 * finds a response by its id and decrypts its reasoning. Elsewhere the encrypted parts are left out,
 * and the call says so; what cannot be left out is refused.
 */

import type { JsonObject } from "#base/json.ts";
import type { BodyRefusal, Issued } from "#formats/format.ts";
import { issuerGone } from "#relay/answers/refusals.ts";
import type { OpenCall, RelayState } from "#relay/call.ts";
import type { RelayDeps } from "#relay/deps.ts";
import type { Plan } from "#relay/plan.ts";
import type { ChannelView } from "#relay/snapshot.ts";
import type { Credential } from "./authenticate.ts";
import type { AttemptFault } from "./fault.ts";
import { chooseChannel } from "./route.ts";
import type { Way } from "./translate.ts";

/** A part of the request that only one upstream can read. */
export type Bound = Issued & {
  /** 0: no channel that the call may use. */
  readonly channelId: number;
  /** Identifies the channel's key that was used. */
  readonly keyMark: string;
};

const noChannel = 0;

/**
 * Finds the channel that issued a part of the request; null: it is not known.
 *
 * @throws CallRefusal 400 when the call may not use that channel, and cannot do without it.
 */
export async function findBound(
  { issuers }: Pick<RelayDeps, "issuers">,
  { tiers }: Pick<Plan, "tiers">,
  { user }: Pick<Credential, "user">,
  issued: Issued,
): Promise<Bound | null> {
  const issuer = await issuers.find(issued.text);
  if (issuer === undefined) return null;
  const { channelId, keyMark, userId } = issuer;
  const isKnown = tiers.some(({ channels }) => channels.some(({ id }) => id === channelId));
  const isOwn = userId === user.id;
  if (issued.isOptional) return { ...issued, keyMark, channelId: isKnown ? channelId : noChannel };
  if (!isKnown || !isOwn) throw issuerGone(issued.field);
  return { ...issued, channelId, keyMark };
}

/** Chooses the channel of the next attempt: first the one that issued a part of the request. */
export function nextChannel({ deps, health }: RelayState, call: OpenCall): ChannelView | undefined {
  const { bound, plan, tried } = call;
  const { tiers } = plan;
  if (bound !== null) {
    const issuer = tried.length > 0 ? undefined : channelIn(plan, bound.channelId);
    if (issuer !== undefined && (!bound.isOptional || health.blockOf(issuer.id) === null)) {
      return issuer;
    }
    if (!bound.isOptional) return undefined;
  }
  return chooseChannel({ tiers, tried, health, random: deps.random });
}

function channelIn({ tiers }: Plan, channelId: number): ChannelView | undefined {
  for (const { channels } of tiers) {
    const found = channels.find(({ id }) => id === channelId);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Chooses the key of an attempt: the one whose account issued a part of the request. */
export function nextKey(
  { deps, keys }: RelayState,
  { bound }: OpenCall,
  channel: ChannelView,
): string {
  const own =
    bound === null || bound.channelId !== channel.id ? undefined : keyOf(deps, bound, channel);
  return own ?? keys.next(channel);
}

function keyOf(
  { issuers }: RelayDeps,
  { keyMark }: Bound,
  { keys }: ChannelView,
): string | undefined {
  return keys.find((key) => issuers.markOf(key) === keyMark);
}

/** Returns the request as this upstream can read it; mostly it is the client's. */
export function readableBy(
  call: OpenCall,
  { channel, formatId, upstreamId }: Way,
): BodyRefusal | Pick<OpenCall, "body" | "bytes"> {
  const { body, bound, bytes, format } = call;
  // A translation leaves such parts out by itself.
  if (bound === null || bound.channelId === channel.id || formatId !== upstreamId) return call;
  // Safe cast: `readRequest` has checked that the bytes are one JSON object.
  const given = JSON.parse(new TextDecoder().decode(bytes)) as JsonObject;
  const rest = format.issued?.leaveOut(given);
  if (rest === undefined) return unreadable(bound.field);
  const restBytes = new TextEncoder().encode(JSON.stringify(rest.body));
  const path = { modality: body.modality, model: call.model, stream: call.isStream };
  const restBody = format.readRequest(restBytes, path);
  if ("message" in restBody) return restBody;
  call.leftOut = rest.losses;
  return { body: restBody, bytes: restBytes };
}

function unreadable(param: string): BodyRefusal {
  const { code, message } = issuerGone(param);
  return { code, param, message };
}

/**
 * Whether the attempt failed because another upstream has issued a part of the request, without
 * which it can be tried once more. That part is left out from then on.
 */
export function unbind(call: OpenCall, { detail }: AttemptFault): boolean {
  const { body, bytes, clientGone, format, leftOut, stop } = call;
  if (clientGone || stop !== null || leftOut.length > 0) return false;
  if (format.issued === undefined || !detail.startsWith(format.issued.refusedAs)) return false;
  const issued = format.issued.ofRequest(bytes, body);
  if (issued?.isOptional !== true) return false;
  call.bound = { ...issued, channelId: noChannel, keyMark: "" };
  return true;
}

/** Remembers which channel has issued what is in a complete answer, for the next requests. */
export function noteIssued(
  { issuers }: Pick<RelayDeps, "issuers">,
  { credential, format, key, plan, translated }: OpenCall,
  channel: ChannelView,
  bytes: Uint8Array,
): void {
  if (!plan.hasChoice || format.issued === undefined || translated !== null) return;
  const texts = format.issued.ofAnswer(bytes, plan.isStream);
  if (texts.length === 0) return;
  issuers.note(texts, { userId: credential.user.id, channelId: channel.id, key });
}
