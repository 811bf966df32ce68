/** Makes the log records of calls, from which the writer makes their log rows. */

import type { AddedFacts } from "@tollgate/contract/logs/fields.ts";
import type { UnitPrice } from "@tollgate/contract/money/charge.ts";
import { unixSeconds } from "#base/clock.ts";
import {
  type CallLog,
  type ChargedCallLog,
  type FailedCallLog,
  type GivenIds,
  withAdded,
} from "#canonical/call-log.ts";
import { type ReadUsage, reportedCost } from "#canonical/usage.ts";
import { boundLosses } from "#formats/shared/losses.ts";
import type { ErrorText, RequestBody } from "#formats/format.ts";
import type { UpstreamFormatId } from "#formats/translation-registry.ts";
import type { Credential } from "#relay/call/facts.ts";
import type { Counted } from "#relay/meter/count.ts";
import { lostByMoving } from "#relay/places/moved-cost.ts";
import type { Plan } from "#relay/plan.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { upstreamCost } from "./upstream-cost.ts";

/** The facts about a call that its log row contains, whether charged or failed. */
type RecordedCall = AddedFacts & {
  /** What the cost of a conversation's move is estimated from; absent: it has none. */
  readonly cameAgain?: number;
  readonly price?: UnitPrice;
  readonly way?: { readonly upstreamId: UpstreamFormatId } | null;
  readonly requestId: string;
  readonly clientIp: string;
  readonly credential: Credential;
  readonly model: string;
  readonly group: string;
  readonly isStream: boolean;
  readonly plan: Pick<Plan, "logPrice" | "prices">;
  /** What the upstream's format could not carry of the last request; null: there was none. */
  readonly reading: { readonly losses: readonly string[] } | null;
  /** What of the last request was left out, because only another upstream could read it. */
  readonly leftOut: readonly string[];
  /** The channels that were tried, in order. */
  readonly tried: readonly ChannelView[];
  /** When the call arrived. Unix milliseconds. */
  readonly startedAt: number;
  /** Milliseconds until the first byte of the answer; null: there was none. */
  readonly firstByteMs: number | null;
  /** What the answer gave the user to name in later requests; null or absent: nothing new. */
  readonly given?: GivenIds | null;
  /** The call's tags; absent: those of its API key. */
  readonly tags?: readonly string[];
  /** Absent: the call has no body, as in a session. */
  readonly body?: Pick<RequestBody, "effort">;
};

/**
 * Returns the log record of a charged call. `interrupted`: why the answer is incomplete; empty: it is
 * complete.
 */
export function chargedLog(
  call: RecordedCall,
  counted: Counted,
  end: {
    readonly nowMs: number;
    readonly interrupted: string;
    /** What the upstream has reported; absent: nothing. */
    readonly reported?: ReadUsage | undefined;
  },
): ChargedCallLog {
  const costs = call.tried.at(-1)?.costs ?? null;
  const log = Object.assign(callLog(call, end.nowMs), {
    usage: counted.usage,
    usageSource: counted.source,
    seenOutput: counted.seen,
    priceVersion: call.plan.prices.id,
    price: call.plan.logPrice,
    cost: upstreamCost(costs, call.model, counted.usage),
    costVersion: costs?.version ?? 0,
    reportedCost: reportedCost(end.reported),
    interrupted: end.interrupted,
    doubt: counted.doubt,
    hiddenOutput: counted.hiddenOutput,
  });
  const moved = call.cameAgain ? lostByMoving(call, counted.usage) : 0;
  if (moved > 0) log.moved_quota = moved;
  return call.given ? Object.assign(log, { given: call.given }) : log;
}

/** Returns the log record of a failed call, which is not charged. */
export function failureLog(
  call: Omit<RecordedCall, "plan">,
  failure: {
    readonly status: number;
    readonly error: ErrorText;
    readonly fault: string;
    readonly nowMs: number;
  },
): FailedCallLog {
  const { status, error, fault, nowMs } = failure;
  // An upstream's words may be any text.
  const told = {
    type: error.type.slice(0, wordLengthMax),
    code: error.code.slice(0, wordLengthMax),
    message: error.message.slice(0, messageLengthMax),
  };
  return Object.assign(callLog(call, nowMs), {
    status,
    error: told,
    fault: fault.slice(0, messageLengthMax),
  });
}

/** The longest texts of an error that a row keeps, in characters. */
const messageLengthMax = 2_000;
const wordLengthMax = 100;

export const noLosses: readonly string[] = [];

/** Returns what the upstream was not told of the client's request. */
export function lossesOf({
  leftOut,
  reading,
}: Pick<RecordedCall, "leftOut" | "reading">): readonly string[] {
  const losses = reading?.losses ?? noLosses;
  if (leftOut.length === 0 && losses.length === 0) return noLosses;
  return boundLosses(leftOut.length === 0 ? losses : [...leftOut, ...losses]);
}

const idOf = ({ id }: ChannelView): number => id;

function callLog(call: Omit<RecordedCall, "plan">, nowMs: number): CallLog {
  const { token, user } = call.credential;
  const upstream = call.tried.at(-1)?.modelMapping.get(call.model) ?? call.model;
  const log: CallLog = {
    requestId: call.requestId,
    createdAt: unixSeconds(nowMs),
    userId: user.id,
    username: user.username,
    tokenId: token.id,
    tokenName: token.name,
    tried: call.tried.map(idOf),
    modelName: call.model,
    upstreamModel: upstream === call.model ? "" : upstream,
    group: call.group,
    useTimeSeconds: Math.max(0, Math.round((nowMs - call.startedAt) / 1_000)),
    firstByteMs: call.firstByteMs === null ? null : Math.round(call.firstByteMs),
    isStream: call.isStream,
    clientIp: call.clientIp,
    effort: call.body?.effort ?? "",
    losses: lossesOf(call),
  };
  return withAdded(tagged(log, call.tags ?? token.tags), call);
}

function tagged(log: CallLog, tags: readonly string[]): CallLog {
  if (tags.length > 0) log.tags = tags;
  return log;
}
