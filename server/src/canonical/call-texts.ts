/**
 * The texts of a call's log row that consoles show: the column `content`, and the column `other`,
 * whose fields `contract/src/endpoints/logs.ts` describes.
 */

import type { UsageSource } from "@tollgate/contract/endpoints/logs.ts";
import { type LongStep, minuteOfTime } from "@tollgate/contract/money/price-terms.ts";
import { showLongStep, showServiceTier } from "@tollgate/contract/endpoints/prices.ts";
import { isInHours, stepsOf } from "@tollgate/contract/money/token-price.ts";
import type { CallLog, ChargedCallLog, FailedCallLog, LogPrice } from "./call-log.ts";
import { inputOf, type Usage } from "./usage.ts";

export type RowTexts = {
  readonly content: string;
  /** JSON. */
  readonly other: string;
};

type Notes = Record<string, unknown>;

export function chargedTexts(log: ChargedCallLog): RowTexts {
  const shown = shownPrice(log.price);
  let { content } = shown;
  const long = longOf(log);
  if (long !== undefined) {
    const { above, ratio, completion } = long;
    content += `，长上下文（输入超过 ${above}）倍率 ${ratio}，长上下文补全倍率 ${completion}`;
  }
  const tier = tierOf(log);
  if (tier !== undefined) {
    const { name, ratio, cache, completion } = tier;
    content += `，服务等级 ${name} 倍率 ${ratio}，缓存倍率 ${cache}，补全倍率 ${completion}`;
  }
  const hours = hoursOf(log);
  if (hours !== undefined) {
    const { from, until, ratio, cache, completion } = hours;
    content += `，时段 ${from}-${until} UTC 倍率 ${ratio}，缓存倍率 ${cache}，补全倍率 ${completion}`;
  }
  content += searchText(log);
  if (log.task === undefined) content += countedBy[log.usageSource];
  if (log.task !== undefined) {
    const { fixed, group } = log.price;
    content = `模型固定价格 ${fixed}，分组倍率 ${group}`;
    content += `，操作 ${log.task.action}，ID ${log.task.id}`;
  }
  if (log.interrupted !== "") content += `，${log.interrupted}`;
  const notes: Notes = { ...shown.notes };
  noteUsage(notes, log.usage, shown);
  if (long !== undefined) notes["long_context"] = showLongStep(long);
  if (tier !== undefined) notes["service_tier"] = showServiceTier(tier.name, tier);
  if (hours !== undefined) notes["hour_price"] = hours;
  noteSearches(notes, log);
  if (log.doubt !== "") notes["usage_doubt"] = log.doubt;
  if (log.hiddenOutput) notes["hidden_output"] = true;
  noteCall(notes, log);
  return { content, other: JSON.stringify(notes) };
}

export function failedTexts(log: FailedCallLog): RowTexts {
  const { type, code, message } = log.error;
  const notes: Notes = { status_code: log.status, error_type: type, error_code: code };
  noteCall(notes, log);
  if (log.fault !== "") notes["admin_info"] = { ...adminInfo(log), fault: log.fault };
  return { content: message, other: JSON.stringify(notes) };
}

/** What the text says of where the token counts come from. */
const countedBy = {
  upstream: "",
  "upstream+seen": "，输出由网关统计",
  local: "，用量由网关统计",
  suspect: "，用量由网关统计",
} as const satisfies Record<UsageSource, string>;

/** Returns what was charged more because the prompt was long; undefined: it was not. */
function longOf({ price: { fixed, long }, usage }: ChargedCallLog): LongStep | undefined {
  if (long === undefined || fixed !== "") return undefined;
  return stepsOf(long).findLast(({ above }) => inputOf(usage) > above);
}

/** Returns the service tier by whose factors the call was charged; undefined: by none. */
function tierOf({ price: { fixed, tiers }, usage: { tier: name } }: ChargedCallLog) {
  if (name === undefined || fixed !== "") return undefined;
  const factors = tiers?.[name];
  return factors === undefined ? undefined : { name, ...factors };
}

/** Returns the hours by whose price the call was charged; undefined: by none. */
function hoursOf({ price: { fixed, hours }, usage: { minute } }: ChargedCallLog) {
  if (minute === undefined || fixed !== "") return undefined;
  return hours?.find(({ from, until }) =>
    isInHours({ from: minuteOfTime(from), until: minuteOfTime(until) }, minute),
  );
}

/** Says what was charged beside the tokens. */
function searchText({ price: { fixed, searching }, usage: { searches = 0 } }: ChargedCallLog) {
  if (searching === undefined || fixed !== "") return "";
  const { call, search, searchingCall } = searching;
  const each = call === undefined ? "" : `，每千次调用 $${call}`;
  if (searches === 0) return each;
  const found = search === undefined ? "" : `，联网搜索 ${searches} 次，每千次 $${search}`;
  const any = searchingCall === undefined ? "" : `，每千次搜索调用 $${searchingCall}`;
  return each + found + any;
}

/**
 * Notes searches in the fields of one-api compatible gateways, and all prices that ratios do not
 * say.
 */
function noteSearches(notes: Notes, { price, usage }: ChargedCallLog): void {
  const { searches = 0 } = usage;
  if (searches > 0) {
    notes["web_search"] = true;
    notes["web_search_call_count"] = searches;
    notes["web_search_price"] = Number(price.searching?.search ?? "0");
  }
  if (price.fixed !== "") return;
  if (price.searching !== undefined) notes["search_prices"] = price.searching;
  if (price.kinds !== undefined) notes["kind_prices"] = price.kinds;
}

/**
 * The value for a call that got no first byte, in milliseconds: one-api compatible consoles read −1
 * s as "never".
 */
const noFirstByte = -1_000;

function noteCall(notes: Notes, log: CallLog): void {
  if (log.upstreamModel !== "") {
    notes["is_model_mapped"] = true;
    notes["upstream_model_name"] = log.upstreamModel;
  }
  if (log.effort !== "") notes["reasoning_effort"] = log.effort;
  notes["frt"] = log.firstByteMs ?? noFirstByte;
  notes["client_ip"] = log.clientIp;
  notes["group"] = log.group;
  notes["request_id"] = log.requestId;
  notes["admin_info"] = adminInfo(log);
}

function adminInfo({ tried }: CallLog): Readonly<Record<string, unknown>> {
  return { use_channel: tried.map(String) };
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
  /** The same for what stays in the cache for an hour. */
  readonly cacheHourRatio: number;
};

function noteUsage(notes: Notes, usage: Usage, shown: ShownPrice): void {
  notes["cache_tokens"] = usage.cacheRead;
  const written = usage.cacheWrite5m + usage.cacheWrite1h;
  if (usage.cacheWrite1h > 0) noteHour(notes, usage, shown);
  else if (written > 0) {
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

/**
 * Notes what was written to a cache by how long it stays, in the fields of one-api compatible
 * gateways. Programs that know only the sum get the ratio that gives the charge with it.
 */
function noteHour(notes: Notes, { cacheWrite5m, cacheWrite1h }: Usage, shown: ShownPrice): void {
  const { cacheCreationRatio: ratio, cacheHourRatio: hourRatio } = shown;
  const written = cacheWrite5m + cacheWrite1h;
  notes["cache_creation_tokens"] = written;
  notes["cache_creation_ratio"] = (cacheWrite5m * ratio + cacheWrite1h * hourRatio) / written;
  notes["cache_creation_tokens_5m"] = cacheWrite5m;
  notes["cache_creation_ratio_5m"] = ratio;
  notes["cache_creation_tokens_1h"] = cacheWrite1h;
  notes["cache_creation_ratio_1h"] = hourRatio;
}

/** The calls of a batch share the objects of their prices. */
const shownPrices = new WeakMap<LogPrice, ShownPrice>();

function shownPrice(price: LogPrice): ShownPrice {
  const known = shownPrices.get(price) ?? showPrice(price);
  shownPrices.set(price, known);
  return known;
}

function showPrice(price: LogPrice): ShownPrice {
  const { fixed, group } = price;
  const byTokens = fixed === "";
  return {
    content: byTokens
      ? `模型倍率 ${price.model}，补全倍率 ${price.completion}，分组倍率 ${group}`
      : `模型价格 ${fixed}，分组倍率 ${group}`,
    notes: {
      model_ratio: byTokens ? Number(price.model) : 0,
      group_ratio: Number(group),
      completion_ratio: byTokens ? Number(price.completion) : 0,
      // −1 means that the model is charged by tokens.
      model_price: byTokens ? -1 : Number(fixed),
      cache_ratio: Number(price.cache),
    },
    audio: {
      audio_ratio: Number(price.audio),
      audio_completion_ratio: Number(price.audioCompletion),
    },
    cacheCreationRatio: Number(price.cacheCreation),
    cacheHourRatio: Number(price.cacheHour),
  };
}
