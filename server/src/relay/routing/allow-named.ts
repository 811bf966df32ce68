/**
 * Lets a caller name only what an answer has given to the same user. The accounts of channels keep
 * things of many users, and whoever knows an id could read them. What no answer gives, such as files,
 * goes only to channels whose ids are shared.
 */

import type { ClientFormat, RequestBody } from "#formats/format.ts";
import type { Named, NamedId } from "#formats/shared/named/named-ids.ts";
import { readNamed } from "#formats/shared/named/named-ids.ts";
import { namesFileInText } from "#formats/shared/named/files-in-texts.ts";
import { idNotGiven, issuerGone, tooManyIds } from "#relay/call/refusals.ts";
import type { AccountBound, Bound, OpenCall } from "#relay/call/attempt-state.ts";
import type { RelayDeps } from "#relay/deps.ts";
import { type Plan, planWithin, readsFilesByText, wayTo } from "#relay/plan.ts";
import type { Issuer } from "#ports/issuers.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import type { Credential } from "#relay/call/facts.ts";
import { findBinding } from "./issuer.ts";

/** The most ids that one request names. */
const idsMax = 1_000;

/** Where a call may go. */
type Channels = {
  readonly plan: Plan;
  /** Which upstream alone can read a part of the request; null: none is known. */
  readonly bound: Bound | null;
};

type Received = Pick<OpenCall, "body" | "bytes">;

/**
 * Finds the channels that may get what a call names, and which of them alone can read it; null: all
 * of the plan.
 *
 * @throws CallRefusal 400 when there are none, as a rejection.
 */
export function findChannels(
  deps: RelayDeps,
  plan: Plan,
  credential: Credential,
  format: ClientFormat,
  received: Received,
): Channels | Promise<Channels> | null {
  const within = withoutFilesByText(plan, received);
  const found = findNamed(deps, within, credential, format, received);
  return found === null && within !== plan ? { plan: within, bound: null } : found;
}

/**
 * Leaves out the channels where a text of the request opens a file of the account.
 *
 * @throws CallRefusal 400 when there are no others.
 */
function withoutFilesByText(plan: Plan, { body, bytes }: Received): Plan {
  const mayName = plan.hasFilesByText && body.modality === "chat";
  if (!mayName || !namesFileInText(bytes)) return plan;
  const within = planWithin(plan, (channel) => !readsFilesByText(channel));
  if (within === null) throw idNotGiven("fileid");
  return within;
}

function findNamed(
  deps: RelayDeps,
  plan: Plan,
  credential: Credential,
  format: ClientFormat,
  received: Received,
): ReturnType<typeof findChannels> {
  const named = namedIn(format, received.body, received.bytes);
  if (named !== null) return findAllowed(deps, plan, credential, { ...received, format, named });
  const { issued } = format;
  const bound = issued === undefined ? null : findBinding(deps, plan, issued, received);
  if (bound === null) return null;
  return bound instanceof Promise ? withBound(plan, bound) : { plan, bound };
}

async function withBound(plan: Plan, bound: Promise<Bound | null>): Promise<Channels> {
  return { plan, bound: await bound };
}

async function findAllowed(
  deps: RelayDeps,
  given: Plan,
  credential: Credential,
  { format, named, ...received }: Received & Pick<OpenCall, "format"> & { readonly named: Named },
): Promise<Channels> {
  const { bound, plan } = await allowNamed(deps, given, credential, named);
  const { issued } = format;
  if (bound !== null || issued === undefined) return { bound, plan };
  return { plan, bound: await findBinding(deps, plan, issued, received) };
}

/** Finds what a call names; null: nothing. */
function namedIn(
  { names }: Pick<OpenCall["format"], "names">,
  { mayName }: Pick<RequestBody, "mayName">,
  bytes: Uint8Array,
): Named | null {
  if (mayName === false) return null;
  const named = readNamed(bytes, names?.rules);
  return named.given.length === 0 && named.foreign === "" ? null : named;
}

/**
 * Finds the channels that may get what a call names.
 *
 * @throws CallRefusal 400 when there are none, as a rejection.
 */
export async function allowNamed(
  deps: Pick<RelayDeps, "issuers" | "snapshot">,
  plan: Plan,
  { user }: Pick<Credential, "user">,
  { foreign, given }: Named,
): Promise<{ readonly plan: Plan; readonly bound: AccountBound | null }> {
  const texts = [...new Set(given.map(({ text }) => text))];
  if (texts.length > idsMax) throw tooManyIds(idsMax);
  const found = texts.length === 0 ? new Map<string, Issuer>() : await deps.issuers.findAll(texts);
  const unknown = given.filter(({ text }) => found.get(text)?.userId !== user.id);
  const within = planFor(plan, foreign, unknown);
  return { plan: within, bound: boundBy(deps, within, given, found) };
}

/** @throws CallRefusal */
function planFor(plan: Plan, foreign: string, unknown: readonly NamedId[]): Plan {
  const [worst] = unknown.toSorted((one, other) => Number(one.isEcho) - Number(other.isEcho));
  if (worst === undefined && foreign === "") return plan;
  const isEcho = foreign === "" && worst?.isEcho === true;
  const within = planWithin(
    plan,
    (channel) => channel.sharesIds || (isEcho && !wayTo(plan, channel).speaksFormat),
  );
  if (within === null) throw idNotGiven(foreign === "" ? (worst?.field ?? "") : foreign);
  return within;
}

/**
 * Finds the channel and key that gave what a call names.
 *
 * @throws CallRefusal 400 when the call may not go there.
 */
function boundBy(
  deps: Pick<RelayDeps, "issuers" | "snapshot">,
  plan: Plan,
  given: readonly NamedId[],
  found: ReadonlyMap<string, Issuer>,
): AccountBound | null {
  let gone = "";
  for (const { field, isEcho, text } of given.toSorted(echoesLast)) {
    const issuer = found.get(text);
    if (issuer === undefined) continue;
    const channel = channelOf(deps, plan, issuer);
    if (channel !== undefined) {
      const { keyMark } = issuer;
      const bound = { text, field, isOptional: isEcho, readBy: "account" } as const;
      return { ...bound, channelId: channel.id, keyMark };
    }
    if (!isEcho) gone ||= field;
  }
  if (gone !== "") throw issuerGone(gone);
  return null;
}

function echoesLast(one: NamedId, other: NamedId): number {
  return Number(one.isEcho) - Number(other.isEcho);
}

/** The channel that gave an id, or another one of the same account. */
function channelOf(
  { issuers, snapshot }: Pick<RelayDeps, "issuers" | "snapshot">,
  { tiers }: Plan,
  { channelId, keyMark }: Issuer,
): ChannelView | undefined {
  const all = tiers.flatMap(({ channels }) => channels);
  const own = all.find(({ id }) => id === channelId);
  if (own !== undefined) return own;
  const issuer = snapshot.findChannel(channelId);
  return all.find(
    ({ baseUrl, keys, provider }) =>
      baseUrl === issuer?.baseUrl &&
      provider.id === issuer.provider.id &&
      keys.some((key) => key !== "" && issuers.markOf(key) === keyMark),
  );
}
