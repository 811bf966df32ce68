/**
 * Keeps a conversation at the upstream that began it, as far as only that one can go on: it alone
 * finds a response by its id and decrypts its reasoning. Elsewhere the encrypted parts are left out,
 * and the call says so; what cannot be left out is refused. `family.ts` does the same for what
 * several channels can read.
 */

import type { AccountBound, Bound, OpenCall } from "#relay/call/attempt-state.ts";
import { type JsonObject, parseExact } from "#base/json.ts";
import type { BodyRefusal, ClientFormat, RequestBody } from "#formats/format.ts";
import type { Issued } from "#formats/later-turns.ts";
import { issuerGone } from "#relay/call/refusals.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import type { RelayDeps } from "#relay/deps.ts";
import { givenBy } from "./note-given.ts";
import { keyMarkOf } from "#relay/places/order.ts";
import { notePlace, placedKey } from "#relay/places/place.ts";
import { type Plan, wayTo } from "#relay/plan.ts";
import type { ChannelView, Tier } from "#ports/snapshot.ts";
import {
  canLeaveOut,
  familyTiers,
  findFamily,
  hasFamilies,
  notedAs,
  readableByFamily,
  unreadable,
} from "./family.ts";
import type { AttemptFault } from "#relay/faults/fault.ts";
import { channelBlock, keyBlock } from "./blocks.ts";
import type { Health } from "./health.ts";
import type { Way } from "#relay/ways/way.ts";

const noChannel = 0;

type Received = { readonly bytes: Uint8Array; readonly body: RequestBody };

/**
 * Finds which reasoning of a request only some upstreams can read, and which; null: there is none,
 * or it is not known.
 */
export function findBinding(
  deps: RelayDeps,
  plan: Plan,
  reader: NonNullable<ClientFormat["issued"]>,
  { body, bytes }: Received,
): Bound | null | Promise<Bound | null> {
  if (body.modality !== "chat") return null;
  if (reader.readBy === "family") {
    return hasFamilies(deps.snapshot, plan.formatId) ? findFamily(deps, plan, reader, bytes) : null;
  }
  const issued = plan.hasChoice ? reader.ofRequest(bytes, body) : undefined;
  return issued?.isOptional === true ? findBound(deps, plan, issued) : null;
}

/** Finds the channel that issued encrypted reasoning; null: it is not known. */
async function findBound(
  { issuers }: Pick<RelayDeps, "issuers">,
  { tiers }: Pick<Plan, "tiers">,
  issued: Issued,
): Promise<AccountBound | null> {
  const issuer = await issuers.find(issued.text);
  if (issuer === undefined) return null;
  const { channelId, keyMark } = issuer;
  const isKnown = tiers.some(({ channels }) => channels.some(({ id }) => id === channelId));
  return { ...issued, readBy: "account", keyMark, channelId: isKnown ? channelId : noChannel };
}

/** Who may be asked, and who was asked so far. */
type Reader = { readonly plan: Plan; readonly tried: readonly ChannelView[] };

/**
 * Returns the channels that can read all of the request and may be tried now, none of which was;
 * null: any of the plan, because all of them can, or none is left that can.
 */
export function tiersOfReaders(
  deps: Pick<RelayDeps, "issuers">,
  { plan, tried }: Reader,
  bound: Bound,
  health: Health,
): readonly Tier[] | null {
  if (bound.readBy === "family") return familyTiers(deps, { plan, tried }, bound, health);
  const issuer = tried.length > 0 ? undefined : channelIn(plan, bound.channelId);
  if (
    issuer !== undefined &&
    (!bound.isOptional || channelBlock(health, issuer, plan.model) === null)
  ) {
    return [{ priority: issuer.priority, channels: [issuer] }];
  }
  return bound.isOptional ? null : [];
}

function channelIn({ tiers }: Pick<Plan, "tiers">, channelId: number): ChannelView | undefined {
  for (const { channels } of tiers) {
    const found = channels.find(({ id }) => id === channelId);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Chooses the key of an attempt: the one whose account issued a part of the request. */
export function nextKey(state: RelayState, call: OpenCall, channel: ChannelView): string {
  const { deps } = state;
  const { bound } = call;
  const own =
    bound?.readBy === "account" && bound.channelId === channel.id
      ? keyOf(deps, bound, channel)
      : undefined;
  const key = own ?? placedKey(state, call, channel) ?? drawnKey(state, channel, call.model);
  notePlace(state, call, channel, key);
  return key;
}

/** Takes the next key in turn, or the next that may be used. */
export function drawnKey(
  { health, keys }: Pick<RelayState, "health" | "keys">,
  channel: ChannelView,
  model: string,
): string {
  const first = keys.next(channel);
  if (!health.anyBlocked() || channel.keys.length <= 1) return first;
  let key = first;
  for (let left = channel.keys.length; left > 0; left -= 1) {
    if (keyBlock(health, channel, keyMarkOf(channel, key), model) === null) return key;
    key = keys.next(channel);
  }
  return first;
}

function keyOf(
  { issuers }: RelayDeps,
  { keyMark }: AccountBound,
  { keys }: ChannelView,
): string | undefined {
  return keys.find((key) => issuers.markOf(key) === keyMark);
}

/** Returns the request as this upstream can read it; mostly it is the client's. */
export function readableBy(
  deps: RelayDeps,
  call: OpenCall,
  way: Way,
): BodyRefusal | Pick<OpenCall, "body" | "bytes"> {
  const { body, bound, bytes, format } = call;
  if (bound === null) return call;
  if (bound.readBy === "family") return readableByFamily(deps, call, bound, way);
  // A translation leaves such parts out by itself.
  if (bound.channelId === way.channel.id || !way.speaksFormat) return call;
  // Safe cast: `readRequest` has checked that the bytes are one JSON object.
  const given = parseExact(new TextDecoder().decode(bytes)) as JsonObject;
  const rest = format.issued?.readBy === "account" ? format.issued.leaveOut(given) : undefined;
  if (rest === undefined) return refuse(bound.field);
  const restBytes = new TextEncoder().encode(JSON.stringify(rest.body));
  const path = { modality: body.modality, model: call.model, stream: call.isStream };
  const restBody = format.readRequest(restBytes, path);
  if ("message" in restBody) return restBody;
  call.leftOut = rest.losses;
  return { body: restBody, bytes: restBytes };
}

function refuse(param: string): BodyRefusal {
  const { code, message } = issuerGone(param);
  return { code, param, message };
}

/**
 * Whether the attempt failed because another upstream has issued a part of the request, without
 * which it can be tried once more. That part is left out from then on.
 */
export function unbind(call: OpenCall, { detail }: AttemptFault): boolean {
  const { body, bytes, clientGone, format, leftOut, stop } = call;
  const { issued: reader } = format;
  if (clientGone || stop !== null || body.modality !== "chat") return false;
  if (reader === undefined || !reader.refusedAs.test(detail)) return false;
  if (reader.readBy === "family") {
    if (call.bound === unreadable || !canLeaveOut(format, bytes)) return false;
    call.bound = unreadable;
    return true;
  }
  const issued = leftOut.length > 0 ? undefined : reader.ofRequest(bytes, body);
  if (issued?.isOptional !== true || isUnbound(call.bound)) return false;
  call.bound = { ...issued, readBy: "account", channelId: noChannel, keyMark: "" };
  return true;
}

/** Whether the call was taken for one whose issuer nobody knows. */
function isUnbound(bound: Bound | null): boolean {
  return bound?.readBy === "account" && bound.channelId === noChannel && bound.keyMark === "";
}

/**
 * Remembers which channel has issued what is in a complete answer, for the next requests, and to
 * whom it gave ids: these the settlement has to store.
 *
 * @param bytes the answer as the client gets it, or the last events of a stream.
 * @param streamed what the other events of the stream had.
 */
export function noteIssued(
  deps: RelayDeps,
  call: OpenCall,
  channel: ChannelView,
  bytes: Uint8Array,
  streamed?: readonly string[],
): void {
  const { body, credential, format, key, plan, reading } = call;
  call.given = givenBy(deps, call, channel, bytes, streamed);
  const reader = format.issued;
  if (reader === undefined || body.modality !== "chat") return;
  const noted = { userId: credential.user.id, channelId: channel.id };
  if (reader.readBy === "family") {
    if (!hasFamilies(deps.snapshot, plan.formatId)) return;
    const texts = [...(streamed ?? []), ...reader.allOf(bytes)];
    if (texts.length === 0) return;
    deps.issuers.note(texts, { ...noted, key: notedAs(call, wayTo(plan, channel)) });
    return;
  }
  if (!plan.hasChoice || reading?.passesOn !== true) return;
  const texts = reader.ofAnswer(bytes);
  if (texts.length > 0) deps.issuers.note(texts, { ...noted, key });
}
