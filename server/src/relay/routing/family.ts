/**
 * Keeps signed reasoning with those who can read it: the channels of the provider that signed it, as
 * far as their models are of one family. Others refuse the whole conversation, and so they get it
 * without.
 */

import type { FamilyBound, OpenCall } from "#relay/call/attempt-state.ts";
import { type JsonObject, parseExact } from "#base/json.ts";
import type { BodyRefusal, ClientFormat } from "#formats/format.ts";
import type { IssuedToFamily, LeftOut } from "#formats/later-turns.ts";
import type { ClientFormatId } from "#formats/registry.ts";
import { hasWrapped } from "#formats/shared/opaque-text.ts";
import type { RelayDeps } from "#relay/deps.ts";
import { type Plan, wayTo } from "#relay/plan.ts";
import type { ChannelView, Snapshot, Tier } from "#ports/snapshot.ts";
import { channelBlock } from "./blocks.ts";
import type { Health } from "./health.ts";
import { upstreamFormat } from "#relay/ways/upstream-format.ts";
import type { Way } from "#relay/ways/way.ts";

/** Nothing that is signed goes on. */
export const unreadable: FamilyBound = { readBy: "family", mark: "", marks: null };

/** Known names of model families, which resellers put anywhere in the names of their models. */
const knownFamily = /claude|deepseek|gemini|gemma|glm|gpt|grok|kimi|minimax|mistral|qwen/i;

function modelFamily(model: string): string {
  return (knownFamily.exec(model) ?? /[a-z]+/i.exec(model))?.[0].toLowerCase() ?? "";
}

function familyOf({ id }: ChannelView["provider"], format: string, model: string): string {
  return `${id} ${format} ${modelFamily(model)}`;
}

/** Whether the channels for a format are of several families, by the revision of the snapshot. */
const severals = new WeakMap<Snapshot, Map<ClientFormatId, { revision: number; is: boolean }>>();

/**
 * Whether conversations of this format could reach a channel that cannot read what another has
 * signed. If not, nothing needs to be remembered.
 */
export function hasFamilies(snapshot: Snapshot, formatId: ClientFormatId): boolean {
  const byFormat = severals.get(snapshot) ?? new Map<never, never>();
  severals.set(snapshot, byFormat);
  const known = byFormat.get(formatId);
  if (known?.revision === snapshot.revision) return known.is;
  const found = { revision: snapshot.revision, is: countFamilies(snapshot, formatId) > 1 };
  byFormat.set(formatId, found);
  return found.is;
}

/** Counts the families, as far as the second. */
function countFamilies(snapshot: Snapshot, formatId: ClientFormatId): number {
  const families = new Set<string>();
  for (const { models, modelMapping, provider } of snapshot.channels()) {
    for (const named of models) {
      const model = modelMapping.get(named) ?? named;
      const format = upstreamFormat(provider, formatId, "chat", model);
      if (format !== undefined) families.add(familyOf(provider, format, model));
      if (families.size > 1) return families.size;
    }
  }
  return families.size;
}

/** The marks of a family: `mixed` stands behind an answer whose conversation has texts of others. */
type Marks = { readonly pure: string; readonly mixed: string };

const marksByWay = new WeakMap<Way, Marks>();

function marksOf({ issuers }: Pick<RelayDeps, "issuers">, way: Way): Marks {
  const known = marksByWay.get(way);
  if (known !== undefined) return known;
  const family = familyOf(way.channel.provider, way.upstreamId, way.model);
  const marks = { pure: issuers.markOf(family), mixed: issuers.markOf(`mixed ${family}`) };
  marksByWay.set(way, marks);
  return marks;
}

/** Returns the text under which an answer's signatures are noted. */
export function notedAs({ bound, leftOut }: Pick<OpenCall, "bound" | "leftOut">, way: Way): string {
  const family = familyOf(way.channel.provider, way.upstreamId, way.model);
  const isMixed = leftOut.length > 0 || (bound?.readBy === "family" && bound.marks !== null);
  return isMixed ? `mixed ${family}` : family;
}

/** Finds who has signed the reasoning in a request; null: there is none, or it is not known. */
export async function findFamily(
  deps: Pick<RelayDeps, "issuers">,
  plan: Plan,
  reader: IssuedToFamily,
  bytes: Uint8Array,
): Promise<FamilyBound | null> {
  const last = reader.lastOf(bytes);
  if (last === "") return null;
  const mark = (await deps.issuers.find(last))?.keyMark;
  if (mark === undefined) return null;
  const isMixed = waysOf(plan).some((way) => marksOf(deps, way).mixed === mark);
  if (!isMixed) return { readBy: "family", mark, marks: null };
  const found = await deps.issuers.findAll(reader.allOf(bytes));
  const marks = new Map([...found].map(([text, { keyMark }]) => [text, keyMark]));
  return { readBy: "family", mark, marks };
}

function waysOf(plan: Plan): readonly Way[] {
  return plan.tiers.flatMap(({ channels }) => channels.map((channel) => wayTo(plan, channel)));
}

function isOf({ mixed, pure }: Marks, mark: string | undefined): boolean {
  return mark === pure || mark === mixed;
}

/**
 * Returns the tiers with the channels that can read the conversation and may be tried now; null:
 * there are none, or all can read it.
 */
export function familyTiers(
  deps: Pick<RelayDeps, "issuers">,
  { plan, tried }: { readonly plan: Plan; readonly tried: readonly ChannelView[] },
  { mark }: FamilyBound,
  health: Health,
): readonly Tier[] | null {
  const isReader = (channel: ChannelView): boolean =>
    isOf(marksOf(deps, wayTo(plan, channel)), mark);
  if (plan.tiers.every(({ channels }) => channels.every(isReader))) return null;
  const isLeft = (channel: ChannelView): boolean =>
    isReader(channel) &&
    !tried.includes(channel) &&
    channelBlock(health, channel, plan.model) === null;
  const tiers = plan.tiers.map(({ channels, priority }) => ({
    priority,
    channels: channels.filter(isLeft),
  }));
  return tiers.some(({ channels }) => channels.length > 0) ? tiers : null;
}

/** Returns the request as the channels of this family can read it; mostly it is the client's. */
export function readableByFamily(
  deps: Pick<RelayDeps, "issuers">,
  call: OpenCall,
  bound: FamilyBound,
  way: Way,
): BodyRefusal | Pick<OpenCall, "body" | "bytes"> {
  const { body, bytes, format } = call;
  const own = marksOf(deps, way);
  const { issued: reader } = format;
  if (reader?.readBy !== "family" || bound.mark === own.pure) return call;
  const isTranslated = !way.speaksFormat;
  // A translation leaves out by itself what is of the client's format.
  if (isTranslated && !hasWrapped(bytes)) return call;
  const marks = bound.mark === own.mixed ? bound.marks : null;
  const spoken = way.channel.provider.formats[way.upstreamId];
  const rest = leaveOut(reader, bytes, {
    keeps: (text) => isOf(own, marks?.get(text)),
    takesUnsigned: isTranslated || (spoken?.takesUnsigned === true && bound.mark !== ""),
  });
  if (rest === undefined) return call;
  const restBytes = new TextEncoder().encode(JSON.stringify(rest.body));
  const path = { modality: body.modality, model: call.model, stream: call.isStream };
  const restBody = format.readRequest(restBytes, path);
  if ("message" in restBody) return restBody;
  call.leftOut = rest.losses;
  return { body: restBody, bytes: restBytes };
}

/** Makes the request without what this upstream cannot read. Undefined: it can read all of it. */
function leaveOut(
  reader: IssuedToFamily,
  bytes: Uint8Array,
  leaving: Parameters<IssuedToFamily["leaveOut"]>[1],
): LeftOut | undefined {
  // Safe cast: `readRequest` has checked that the bytes are one JSON object.
  const given = parseExact(new TextDecoder().decode(bytes)) as JsonObject;
  const rest = reader.leaveOut(given, leaving);
  return rest.body === given ? undefined : rest;
}

/** Whether the request has anything that could be left out, should an upstream refuse it. */
export function canLeaveOut(
  { issued: reader }: Pick<ClientFormat, "issued">,
  bytes: Uint8Array,
): boolean {
  const nothing = { keeps: () => false, takesUnsigned: false };
  return reader?.readBy === "family" && leaveOut(reader, bytes, nothing) !== undefined;
}
