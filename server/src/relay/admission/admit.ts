/**
 * Decides whether a call may begin, in which group, at which channels and at what price. Then holds
 * its quota.
 */

import { priceAt, type UnitPrice } from "@tollgate/contract/money/charge.ts";
import { type CallKind, findPlan, keepPlan, makePlan, type Plan, type Plans } from "#relay/plan.ts";
import type { CallBounds, Credential } from "#relay/call/facts.ts";
import type { Hold, HoldAnswer } from "#ports/hold.ts";
import type { RelayDeps } from "#relay/deps.ts";
import { holdSize, leastOf } from "./hold-size.ts";
import {
  budgetTooLow,
  callTooExpensive,
  channelDisabled,
  groupGone,
  groupNotUsable,
  modelNotForGroup,
  modelNotInToken,
  noChannel,
  noPrice,
  notServed,
  spendsTooMuch,
  storeUnavailable,
  tokenNowExhausted,
  tokenQuotaTooLow,
  unknownChannel,
  unknownModel,
  userInDebt,
  userQuotaTooLow,
} from "#relay/call/refusals.ts";
import type { Snapshot, Tier } from "#ports/snapshot.ts";

/** What a call is granted: the group it is charged for and the channels it may use. */
type Terms = {
  readonly group: string;
  readonly tiers: readonly Tier[];
  /** Whether the client's key names the channel, so that no other is tried. */
  readonly pinned: boolean;
};

/**
 * Returns the group that a call is charged for: the token's, or its owner's if the token names
 * none.
 *
 * @throws CallRefusal 403 when the owner may not use the group, or the group has no ratio.
 */
export function groupOf(snapshot: Snapshot, credential: Credential): string {
  const group = groupName(credential);
  if (!isGroupUsable(snapshot, credential)) throw groupNotUsable(group);
  if (!Object.hasOwn(snapshot.prices.list.GroupRatio, group)) throw groupGone(group);
  return group;
}

/**
 * Finds the group that a call is charged for and the channels it may use.
 *
 * @throws CallRefusal 400, 403, 404 or 503.
 */
export function findTerms(snapshot: Snapshot, credential: Credential, model: string): Terms {
  const group = groupOf(snapshot, credential);
  const pinned = pinnedTiers(snapshot, credential.pinnedChannelId);
  const { modelLimits } = credential.token;
  if (modelLimits !== null && !modelLimits.has(model)) throw modelNotInToken(model);
  if (pinned !== undefined) return { group, tiers: pinned, pinned: true };
  const tiers = snapshot.tiersFor(group, model);
  if (tiers !== undefined && tiers.length > 0) return { group, tiers, pinned: false };
  const groups = snapshot.groupsOffered(model);
  if (groups === undefined) throw unknownModel(group, model);
  // A model whose channels for this group are all disabled may be back soon. A model that only other
  // groups have is refused as forbidden.
  throw groups.has(group) ? noChannel(group, model) : modelNotForGroup();
}

function pinnedTiers(snapshot: Snapshot, channelId: number | null): readonly Tier[] | undefined {
  if (channelId === null) return undefined;
  const channel = snapshot.findChannel(channelId);
  if (channel === undefined) throw unknownChannel();
  if (channel.status !== 1) throw channelDisabled();
  return [{ priority: channel.priority, channels: [channel] }];
}

/**
 * Finds the plan of a call: the group that it is charged for, the channels it may use, and its
 * price. Only what depends on the caller is checked for each call.
 *
 * @throws CallRefusal 400, 403, 404 or 503.
 */
export function planCall(
  deps: Pick<RelayDeps, "priceOf" | "snapshot">,
  plans: Plans,
  credential: Credential,
  model: string,
  kind: CallKind,
): Plan {
  const { snapshot } = deps;
  const { revision } = snapshot;
  const known = isPlain(snapshot, credential, model)
    ? findPlan(plans, revision, groupName(credential), model, kind)
    : undefined;
  if (known !== undefined) return known;
  const { group, tiers, pinned } = findTerms(snapshot, credential, model);
  const price = findPrice(deps, model, group);
  const { options, prices } = snapshot;
  const plan = makePlan({ group, model, tiers, pinned, options, prices, price }, kind);
  if (plan.tiers.every(({ channels }) => channels.length === 0)) {
    throw notServed(model, kind.modality);
  }
  if (!pinned) keepPlan(plans, revision, plan);
  return plan;
}

/** Whether the caller may use its group and the model, and names no channel. */
function isPlain(snapshot: Snapshot, credential: Credential, model: string): boolean {
  const { modelLimits } = credential.token;
  return (
    credential.pinnedChannelId === null &&
    isGroupUsable(snapshot, credential) &&
    (modelLimits === null || modelLimits.has(model))
  );
}

function groupName({ token, user }: Credential): string {
  return token.group === "" ? user.group : token.group;
}

function isGroupUsable({ options }: Snapshot, credential: Credential): boolean {
  const group = groupName(credential);
  return group === credential.user.group || Object.hasOwn(options.usableGroups, group);
}

/**
 * Returns the price of a model for a group.
 *
 * @throws CallRefusal 403 if there is none: a price is never guessed.
 */
export function findPrice(
  deps: Pick<RelayDeps, "priceOf">,
  model: string,
  group: string,
): UnitPrice {
  const price = deps.priceOf(model, group);
  if (price === undefined) throw noPrice(model);
  return price;
}

type HoldInput = {
  readonly requestId: string;
  readonly credential: Credential;
  readonly plan: Plan;
  /** The call's tags, for its row if this process dies. */
  readonly tags: readonly string[];
  /** The minute of the day at which it is held; undefined: all have the same price. */
  readonly minute: number | undefined;
  readonly bounds: CallBounds;
};

/**
 * Holds the most that the call can cost, or less for a stream if the balance is lower.
 *
 * @throws CallRefusal 401, 403 or 503, also as a rejection.
 */
export function holdQuota(deps: RelayDeps, input: HoldInput): Hold | Promise<Hold> {
  const { want, least } = holdSize(
    priceAt(input.plan.price, input.minute),
    input.bounds,
    input.plan.isStream,
  );
  return askHold(deps, input, want, least);
}

type AskInput = Pick<HoldInput, "credential" | "requestId" | "tags"> & {
  readonly plan: Pick<Plan, "group" | "model">;
};

/**
 * Holds `want` quota units, or at least `least`.
 *
 * @throws CallRefusal 401, 403 or 503, also as a rejection.
 */
export function askHold(
  deps: RelayDeps,
  { requestId, credential, plan, tags }: AskInput,
  want: number,
  least: number,
): Hold | Promise<Hold> {
  const { token, user } = credential;
  const most = deps.snapshot.options.quotaPerCallMax;
  if (most > 0 && want > most) throw callTooExpensive(most, want);
  const answer = deps.reserve({
    id: requestId,
    userId: user.id,
    tokenId: token.id,
    tokenLimited: !token.unlimitedQuota,
    budgets: token.budgets,
    modelName: plan.model,
    group: plan.group,
    tags: tags.length === 0 ? undefined : tags.join("\n"),
    want,
    least,
  });
  if (answer instanceof Promise) return readHoldLater(deps, credential, least, answer);
  return readHold(deps, credential, least, answer);
}

async function readHoldLater(
  deps: RelayDeps,
  credential: Credential,
  least: number,
  answer: Promise<HoldAnswer>,
): Promise<Hold> {
  return readHold(deps, credential, least, await answer);
}

function readHold(
  deps: RelayDeps,
  credential: Credential,
  least: number,
  answer: HoldAnswer,
): Hold {
  if (answer.kind === "held") return answer.hold;
  if (answer.kind === "unavailable") throw storeUnavailable();
  if (answer.kind === "over-limit") throw spendsTooMuch(answer);
  if (answer.kind === "in-debt") throw userInDebt(answer.debt);
  if (answer.kind === "over-budget") throw budgetTooLow(answer, least);
  if (answer.by === "user") throw userQuotaTooLow(answer.available, least);
  const { token } = credential;
  const { rest } = answer;
  const needed = rest <= 0 ? 1 : smallestHold(deps, credential, rest);
  if (rest >= needed) throw tokenQuotaTooLow(answer.available, least);
  deps.markToken(token.id, 4, needed);
  throw tokenNowExhausted(token.masked, Math.max(0, rest), needed);
}

/**
 * Finds the smallest hold that any call of a token needs, of the models that it may call: a token
 * with less is used up. The search ends with the first model that `rest` is enough for.
 */
function smallestHold(
  { priceOf, snapshot }: Pick<RelayDeps, "priceOf" | "snapshot">,
  credential: Credential,
  rest: number,
): number {
  const group = groupName(credential);
  let smallest = Infinity;
  for (const model of credential.token.modelLimits ?? snapshot.modelsOf(group)) {
    const price = priceOf(model, group);
    if (price === undefined) continue;
    smallest = Math.min(smallest, leastOf(price, model));
    if (smallest <= rest) break;
  }
  // Without a model that it can pay, nothing is known of what would be enough.
  return smallest === Infinity ? 0 : smallest;
}
