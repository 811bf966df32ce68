/** Makes the log rows of calls. */

import type { PriceList } from "@tollgate/contract/charge.ts";
import { unixSeconds } from "#base/clock.ts";
import type { CallLog, ChargedCallLog } from "#canonical/call-log.ts";
import type { Usage } from "#canonical/usage.ts";
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
 * Returns the log row of a charged call. `interrupted`: why the answer is incomplete; empty: it is
 * complete.
 */
export function chargedLog(
  call: CallFacts,
  counted: Counted,
  end: { readonly nowMs: number; readonly interrupted: string },
): ChargedCallLog {
  const shown = shownPrice(call.prices.list, call.model, call.group);
  let { content } = shown;
  if (counted.source !== "upstream") content += "，用量由网关统计";
  if (end.interrupted !== "") content += `，${end.interrupted}`;
  const notes: LogNotes = { ...shown.notes };
  noteUsage(notes, counted.usage, shown);
  if (counted.doubt !== "") notes["usage_doubt"] = counted.doubt;
  if (counted.hiddenOutput) notes["hidden_output"] = true;
  return Object.assign(callLog(call, end.nowMs, content, notes), {
    usage: counted.usage,
    usageSource: counted.source,
    priceVersion: call.prices.id,
  });
}

/** Returns the log row of a failed call, which is not charged. */
export function failureLog(
  call: CallFacts,
  failure: { readonly status: number; readonly error: ErrorText; readonly nowMs: number },
): CallLog {
  const { status, error, nowMs } = failure;
  return callLog(call, nowMs, error.message, {
    status_code: status,
    error_type: error.type,
    error_code: error.code,
  });
}

function callLog(call: CallFacts, nowMs: number, content: string, notes: LogNotes): CallLog {
  const { token, user } = call.credential;
  noteCall(notes, call);
  return {
    requestId: call.requestId,
    createdAt: unixSeconds(nowMs),
    userId: user.id,
    username: user.username,
    tokenId: token.id,
    tokenName: token.name,
    channelId: call.tried.at(-1)?.id ?? 0,
    modelName: call.model,
    group: call.group,
    useTimeSeconds: Math.max(0, Math.round((nowMs - call.startedAt) / 1_000)),
    isStream: call.isStream,
    content,
    other: JSON.stringify(notes),
    clientIp: call.clientIp,
    losses: [],
  };
}

/** The fields of the row's column `other`, which `contract/logs.ts` describes. */
type LogNotes = Record<string, unknown>;

/**
 * The value for a call that got no first byte, in milliseconds: one-api compatible consoles read −1
 * s as "never".
 */
const noFirstByte = -1_000;

function noteCall(notes: LogNotes, call: CallFacts): void {
  const upstream = call.tried.at(-1)?.modelMapping.get(call.model);
  if (upstream !== undefined && upstream !== call.model) {
    notes["is_model_mapped"] = true;
    notes["upstream_model_name"] = upstream;
  }
  notes["frt"] = call.firstByteMs === null ? noFirstByte : Math.round(call.firstByteMs);
  notes["client_ip"] = call.clientIp;
  notes["group"] = call.group;
  notes["request_id"] = call.requestId;
  notes["admin_info"] = { use_channel: call.tried.map(({ id }) => String(id)) };
}

type ShownPrice = {
  readonly content: string;
  readonly notes: Readonly<Record<string, number>>;
  /**
   * Fields that are added for calls with audio. `cacheCreationRatio` is added for calls that wrote
   * to a prompt cache.
   */
  readonly audio: Readonly<Record<string, number>>;
  readonly cacheCreationRatio: number;
};

function noteUsage(notes: LogNotes, usage: Usage, shown: ShownPrice): void {
  notes["cache_tokens"] = usage.cacheRead;
  const written = usage.cacheWrite5m + usage.cacheWrite1h;
  if (written > 0) {
    notes["cache_creation_tokens"] = written;
    notes["cache_creation_ratio"] = shown.cacheCreationRatio;
  }
  if (usage.inputAudio + usage.outputAudio === 0) return;
  notes["audio"] = true;
  notes["audio_input"] = usage.inputAudio;
  notes["audio_output"] = usage.outputAudio;
  notes["text_input"] = usage.input + usage.cacheRead;
  notes["text_output"] = usage.output + usage.reasoning;
  Object.assign(notes, shown.audio);
}

/** The price fields of log rows, made once for each price version, model and group. */
const shownPrices = new WeakMap<PriceList, Map<string, ShownPrice>>();

/**
 * The largest number of cached entries for one price version; when it is reached, all are dropped.
 */
const shownPricesMax = 10_000;

function shownPrice(list: PriceList, model: string, group: string): ShownPrice {
  const known = shownPrices.get(list) ?? new Map<string, ShownPrice>();
  shownPrices.set(list, known);
  const key = `${group}\n${model}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = showPrice(list, model, group);
  if (known.size >= shownPricesMax) known.clear();
  known.set(key, made);
  return made;
}

function showPrice(list: PriceList, model: string, group: string): ShownPrice {
  const ratio = (map: Readonly<Record<string, string>>, absent: string): string =>
    (Object.hasOwn(map, model) ? map[model] : undefined) ?? absent;
  const groupRatio =
    (Object.hasOwn(list.GroupRatio, group) ? list.GroupRatio[group] : undefined) ?? "1";
  const audio = {
    audio_ratio: Number(ratio(list.AudioRatio, "20")),
    audio_completion_ratio: Number(ratio(list.AudioCompletionRatio, "2")),
  };
  const cacheCreationRatio = Number(ratio(list.CreateCacheRatio, "1.25"));
  const fixed = ratio(list.ModelPrice, "");
  const modelRatio = ratio(list.ModelRatio, "0");
  const completionRatio = ratio(list.CompletionRatio, "1");
  return {
    content:
      fixed === ""
        ? `模型倍率 ${modelRatio}，补全倍率 ${completionRatio}，分组倍率 ${groupRatio}`
        : `模型价格 ${fixed}，分组倍率 ${groupRatio}`,
    notes: {
      model_ratio: fixed === "" ? Number(modelRatio) : 0,
      group_ratio: Number(groupRatio),
      completion_ratio: fixed === "" ? Number(completionRatio) : 0,
      // −1 means that the model is charged by tokens.
      model_price: fixed === "" ? -1 : Number(fixed),
      cache_ratio: Number(ratio(list.CacheRatio, "1")),
    },
    audio,
    cacheCreationRatio,
  };
}
