/** Makes the log records of calls, from which the writer makes their log rows. */

import type { PriceList } from "@tollgate/contract/charge.ts";
import { unixSeconds } from "#base/clock.ts";
import type { CallLog, ChargedCallLog, FailedCallLog, LogPrice } from "#canonical/call-log.ts";
import type { ErrorText } from "#formats/format.ts";
import type { Credential } from "./authenticate.ts";
import type { Counted } from "./meter/count.ts";
import type { ChannelView, PriceVersion } from "#relay/snapshot.ts";

/** The facts about a call that its log row contains, whether charged or failed. */
export type CallFacts = {
  readonly requestId: string;
  readonly clientIp: string;
  readonly credential: Credential;
  readonly model: string;
  readonly group: string;
  readonly isStream: boolean;
  readonly prices: PriceVersion;
  /** The channels that were tried, in order. */
  readonly tried: readonly ChannelView[];
  /** When the call arrived. Unix milliseconds. */
  readonly startedAt: number;
  /** Milliseconds until the first byte of the answer; null: there was none. */
  readonly firstByteMs: number | null;
};

/**
 * Returns the log record of a charged call. `interrupted`: why the answer is incomplete; empty: it is
 * complete.
 */
export function chargedLog(
  call: CallFacts,
  counted: Counted,
  end: { readonly nowMs: number; readonly interrupted: string },
): ChargedCallLog {
  const log = callLog(call, end.nowMs);
  return Object.assign(log, {
    usage: counted.usage,
    usageSource: counted.source,
    priceVersion: call.prices.id,
    price: logPrice(call.prices.list, call.model, call.group),
    interrupted: end.interrupted,
    doubt: counted.doubt,
    hiddenOutput: counted.hiddenOutput,
  });
}

/** Returns the log record of a failed call, which is not charged. */
export function failureLog(
  call: CallFacts,
  failure: { readonly status: number; readonly error: ErrorText; readonly nowMs: number },
): FailedCallLog {
  const { status, error, nowMs } = failure;
  const { type, code, message } = error;
  return Object.assign(callLog(call, nowMs), { status, error: { type, code, message } });
}

function callLog(call: CallFacts, nowMs: number): CallLog {
  const { token, user } = call.credential;
  const upstream = call.tried.at(-1)?.modelMapping.get(call.model) ?? call.model;
  return {
    requestId: call.requestId,
    createdAt: unixSeconds(nowMs),
    userId: user.id,
    username: user.username,
    tokenId: token.id,
    tokenName: token.name,
    tried: call.tried.map(({ id }) => id),
    modelName: call.model,
    upstreamModel: upstream === call.model ? "" : upstream,
    group: call.group,
    useTimeSeconds: Math.max(0, Math.round((nowMs - call.startedAt) / 1_000)),
    firstByteMs: call.firstByteMs === null ? null : Math.round(call.firstByteMs),
    isStream: call.isStream,
    clientIp: call.clientIp,
    losses: [],
  };
}

/** The prices of log records, made once for each price version, model and group. */
const logPrices = new WeakMap<PriceList, Map<string, LogPrice>>();

/**
 * The largest number of cached entries for one price version; when it is reached, all are dropped.
 */
const logPricesMax = 10_000;

function logPrice(list: PriceList, model: string, group: string): LogPrice {
  const known = logPrices.get(list) ?? new Map<string, LogPrice>();
  logPrices.set(list, known);
  const key = `${group}\n${model}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = makeLogPrice(list, model, group);
  if (known.size >= logPricesMax) known.clear();
  known.set(key, made);
  return made;
}

function makeLogPrice(list: PriceList, model: string, group: string): LogPrice {
  const ratio = (map: Readonly<Record<string, string>>, absent: string): string =>
    (Object.hasOwn(map, model) ? map[model] : undefined) ?? absent;
  const groupRatio = Object.hasOwn(list.GroupRatio, group) ? list.GroupRatio[group] : undefined;
  return {
    fixed: ratio(list.ModelPrice, ""),
    model: ratio(list.ModelRatio, "0"),
    completion: ratio(list.CompletionRatio, "1"),
    group: groupRatio ?? "1",
    cache: ratio(list.CacheRatio, "1"),
    cacheCreation: ratio(list.CreateCacheRatio, "1.25"),
    audio: ratio(list.AudioRatio, "20"),
    audioCompletion: ratio(list.AudioCompletionRatio, "2"),
  };
}
