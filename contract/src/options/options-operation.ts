/** Options for operating the gateway: quota, prices, relaying, monitoring. */

import { z } from "zod";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import { language } from "@tollgate/contract/words/languages.ts";
import { choice, decimals, define, flag, whole } from "@tollgate/contract/kinds/kinds.ts";
import {
  groupDecimalsOption,
  groupTextsOption,
  linesOption,
  linkOption,
  numberOption,
  positiveDecimal,
  quotaOption,
} from "@tollgate/contract/fields/field-schemas.ts";
import { taskPriceFactors } from "@tollgate/contract/money/charge.ts";
import { longContextOption } from "@tollgate/contract/money/long-context.ts";
import { serviceTierOption } from "@tollgate/contract/money/service-tier-prices.ts";
import {
  searchPriceOption,
  hourPriceOption,
  kindPriceOption,
} from "@tollgate/contract/money/term-options.ts";
import { zoneOption } from "@tollgate/contract/fields/time-zone.ts";
import { modelNameMax } from "@tollgate/contract/endpoints/prices.ts";
import { tokensPerUserMax } from "@tollgate/contract/endpoints/tokens.ts";

/** Defines an option that is an amount of quota units. */
function quota(defaultValue: number) {
  return define({ type: "number", schema: quotaOption, defaultValue, unit: "quota" });
}

/** Maps names to `on` or `off`. */
const onOffMap = z.record(
  z.string().min(1).max(modelNameMax),
  z.enum(["on", "off"], "只能是 on 或 off"),
);

export const quotaOptions = {
  /** Quota that is credited when an account is created. */
  QuotaForNewUser: quota(0),
  /** Quota that is credited to the inviter of a new account, as affiliate earnings. */
  QuotaForInviter: quota(0),
  /**
   * Quota that is credited to a new account that was created by an invitation, in addition to
   * `QuotaForNewUser`.
   */
  QuotaForInvitee: quota(0),
  /**
   * Output tokens that are held for a call without a limit of its own; output beyond them may go
   * unpaid.
   */
  PreConsumedQuota: whole(1, 1_000_000, 4_096),
  /** The owner of a balance is notified when it falls below this many quota units. */
  QuotaRemindThreshold: quota(1_000),
  /**
   * Users who want regular contact are told of their balance and spending once in so many days; 0:
   * never.
   */
  ContactEveryDays: whole(0, 365, 30, "days"),
  /** A call that could cost more than this many quota units is refused; 0: no limit. */
  QuotaPerCallMax: quota(0),
  /**
   * The most quota units that one user's calls may cost within an hour, including what running calls
   * hold; 0: no limit.
   */
  QuotaPerUserHourMax: quota(0),
  /** The same for the calls of all users within a minute. */
  QuotaPerMinuteMax: quota(0),
} as const;

export const generalOptions = {
  /** Address of a shop that sells redemption codes. */
  TopUpLink: define({ type: "text", schema: linkOption, defaultValue: "" }),
  /** Address of the documentation. */
  "general_setting.docs_link": define({ type: "text", schema: linkOption, defaultValue: "" }),
  /** Quota units of one US dollar; used for prices per call and for amounts on screens. */
  QuotaPerUnit: define({
    type: "decimal",
    schema: positiveDecimal,
    defaultValue: defaultPriceList.QuotaPerUnit,
  }),
  /** Whether screens show quota as US dollars instead of quota units. */
  DisplayInCurrencyEnabled: flag(true),
  /**
   * Whether a billing query that is sent with a token is answered with the token's figures instead
   * of its owner's.
   */
  DisplayTokenStatEnabled: flag(true),
  /** Where the days, weeks and months of the dashboard and of budgets begin. */
  TimeZone: define({ type: "text", schema: zoneOption, defaultValue: "UTC" }),
  /** The largest number of tokens of one user; users who already have more keep them. */
  TokensPerUserMax: whole(1, tokensPerUserMax, 1_000),
  /**
   * Language of error messages for callers whose request names none, as most programs' do. By
   * default, calls of models are answered in English, and those of the console API in Chinese, whose
   * texts its clients compare. A set-up in English or Chinese sets it.
   */
  ApiErrorLanguage: choice(["auto", ...language.options], "auto"),
  /** Whether the side menu is collapsed at first. */
  DefaultCollapseSidebar: flag(false),
  /** Whether the console says that this installation is a trial. */
  DemoSiteEnabled: flag(false),
  /** Whether the console hides everything about payment. */
  SelfUseModeEnabled: flag(false),
} as const;

export const relayOptions = {
  /** How many further channels a call may try after a failure. */
  RetryTimes: whole(0, 10, 2),
  /**
   * Whether conversations stay at one channel and key, by model and by group: on or off. Without a word
   * they do where tokens from the cache have a price of their own.
   */
  ConversationsByModel: define({ type: "textMap", schema: onOffMap, defaultValue: {} }),
  ConversationsByGroup: define({ type: "textMap", schema: onOffMap, defaultValue: {} }),
  /** Whether the cheapest channels of one priority come first, by their cost lists: likewise. */
  CheapestByModel: define({ type: "textMap", schema: onOffMap, defaultValue: {} }),
  CheapestByGroup: define({ type: "textMap", schema: onOffMap, defaultValue: {} }),
  /** The largest body of a call, in megabytes. */
  RelayBodyMegabytesMax: whole(1, 128, 10, "megabytes"),
  /** The most tokens that a call may ask a model to think. */
  ThinkingBudgetMax: whole(1_024, 2_000_000, 200_000),
  /** The most inputs of one call for embeddings. */
  EmbeddingInputsMax: whole(1, 100_000, 2_048),
  /**
   * Whether clients such as Codex may ask for responses over a WebSocket. Otherwise they are told at
   * once to use HTTP.
   */
  ResponsesWebSocketEnabled: flag(true),
} as const;

export const rateLimitOptions = {
  ModelRequestRateLimitEnabled: flag(false),
  /** The period over which a user's calls are counted, in minutes. */
  ModelRequestRateLimitDurationMinutes: whole(1, 1_440, 1, "minutes"),
  /** The largest number of calls of one user in a period, including failed ones; 0: no limit. */
  ModelRequestRateLimitCount: whole(0, 1_000_000, 0),
  /** The largest number of successful calls of one user in a period. */
  ModelRequestRateLimitSuccessCount: whole(1, 1_000_000, 1_000),
  /**
   * The largest number of calls of one user that may run at the same time on a node; 0: no limit.
   */
  CallsAtOncePerUserMax: whole(0, 100_000, 0),
  /**
   * The largest number of calls with one token that may run at the same time on a node; 0: no
   * limit.
   */
  CallsAtOncePerTokenMax: whole(0, 100_000, 0),
} as const;

export const sensitiveWordOptions = {
  CheckSensitiveEnabled: flag(true),
  /** Whether prompts are checked for sensitive words; needs `CheckSensitiveEnabled` as well. */
  CheckSensitiveOnPromptEnabled: flag(true),
  /** Sensitive words, one a line, letter case ignored; empty: prompts are not searched. */
  SensitiveWords: define({ type: "lines", schema: linesOption(10_000, 200), defaultValue: [] }),
} as const;

const keptRule = "调用日志是账目的一部分，不能关闭";

export const logOptions = {
  /**
   * Cannot be turned off: log rows are covered by the ledger's hashes, so they are always written.
   */
  LogConsumeEnabled: define({
    type: "flag",
    schema: z.literal(true, keptRule),
    defaultValue: true,
  }),
  /** After how many days log rows are removed; 0: never. Charges stay in the ledger. */
  LogRetentionDays: choice(["0", "7", "30", "90", "180", "365"], "0"),
  /** Whether the texts of requests and answers are stored, for root to read. */
  LogContentEnabled: flag(false),
  /** The largest number of bytes that are stored of each text. */
  LogContentMaxBytes: whole(1, 65_536, 65_536, "bytes"),
  /**
   * For how many whole days texts are kept; never longer than log rows. A text may be a day older,
   * because texts are removed by whole days.
   */
  LogContentDays: whole(1, 365, 7, "days"),
  /**
   * For how many whole days the gateway keeps answers of the Responses API, with their input, for
   * their users to continue by `previous_response_id`, where the upstream keeps none; 0: not at all.
   */
  ResponsesStoreDays: whole(0, 365, 0, "days"),
} as const;

export const dataExportOptions = {
  /** Whether the console shows the dashboard. */
  DataExportEnabled: flag(true),
  /** Time after which an open dashboard reads its figures again, in minutes. */
  DataExportInterval: whole(1, 1_440, 5, "minutes"),
  /** The time unit that the dashboard shows when it opens. */
  DataExportDefaultTime: choice(["hour", "day", "week"], "hour"),
} as const;

export const drawingOptions = {
  DrawingEnabled: flag(true),
  TaskEnabled: flag(true),
  /** Whether notify hooks (callback addresses) of Midjourney clients are passed to the upstream. */
  MjNotifyEnabled: flag(false),
  /** Whether clients may choose the Midjourney account by a filter. */
  MjAccountFilterEnabled: flag(false),
  /** Whether mode words such as `--fast` are removed from Midjourney prompts. */
  MjModeClearEnabled: flag(false),
  /** Whether answers replace addresses of Midjourney pictures by addresses of this server. */
  MjForwardUrlEnabled: flag(true),
  /**
   * Whether a follow-up action on a Midjourney picture requires that the picture was made
   * successfully.
   */
  MjActionCheckSuccessEnabled: flag(true),
  /** How long a Midjourney task may take before it fails and its charge is given back. */
  MjTimeoutMinutes: whole(1, 1_440, 60, "minutes"),
  /** The largest result of a drawing that is passed on, in megabytes. */
  MjResultMegabytesMax: whole(1, 1_024, 25, "megabytes"),
  /** How long tasks of other platforms may take, in hours. */
  TaskTimeoutHours: whole(1, 168, 24),
} as const;

export const monitoringOptions = {
  /** The longest time that a channel test may take before it counts as failed; 0: no limit. */
  ChannelDisableThreshold: define({
    type: "number",
    schema: numberOption(0, 3_600),
    defaultValue: 5,
    unit: "seconds",
  }),
  /** Every how many minutes each channel is tested that is not disabled by hand; 0: never. */
  ChannelTestMinutes: whole(0, 10_080, 0, "minutes"),
  /** Every how many minutes the balance of each enabled channel is read; 0: never. */
  ChannelBalanceMinutes: whole(0, 10_080, 0, "minutes"),
  /**
   * Root is notified when a channel's account at its provider has less than this, in the provider's
   * currency; 0: never.
   */
  ChannelBalanceRemindThreshold: define({
    type: "number",
    schema: numberOption(0, 1_000_000),
    defaultValue: 1,
  }),
  /**
   * Root is notified when a channel's calls of a model were sold for this much less than they cost,
   * in US dollars, in the last day; 0: never.
   */
  BelowCostRemindThreshold: define({
    type: "number",
    schema: numberOption(0, 1_000_000),
    defaultValue: 1,
  }),
  /**
   * Whether a channel is disabled when a call fails for a reason that lies in the channel, such as
   * its key.
   */
  AutomaticDisableChannelEnabled: flag(false),
  /** Whether a successful test enables a channel that was disabled automatically. */
  AutomaticEnableChannelEnabled: flag(false),
  /**
   * A channel is disabled when an error of its upstream contains one of these texts, letter case
   * ignored.
   */
  AutomaticDisableKeywords: define({
    type: "lines",
    schema: linesOption(100, 200),
    defaultValue: [
      "credit balance is too low",
      "organization has been disabled",
      "exceeded your current quota",
      "permission denied",
      "security token included in the request is invalid",
      "operation not allowed",
      "account is not authorized",
    ],
  }),
} as const;

/** The most models that have factors for tasks. */
const taskModelsMax = 1_000;

/** Ratios by model; `charge.ts` says how a price is computed from them. */
export const priceOptions = {
  /** US dollars per call, whatever it uses; if set, the ratios of the model do not count. */
  ModelPrice: decimals(defaultPriceList.ModelPrice),
  /** Price of an input token; 1 is 2 US dollars a million. */
  ModelRatio: decimals(defaultPriceList.ModelRatio),
  /** The price of an output token relative to an input token; absent: 1. */
  CompletionRatio: decimals(defaultPriceList.CompletionRatio),
  /** The price of a cached input token relative to an input token; absent: 1. */
  CacheRatio: decimals(defaultPriceList.CacheRatio),
  /**
   * The price of a token written to a cache for 5 minutes, relative to an input token; absent:
   * 1.25.
   */
  CreateCacheRatio: decimals(defaultPriceList.CreateCacheRatio),
  /** The price of a token written to a cache for an hour, relative to an input token; absent: 2. */
  CreateCacheRatio1h: decimals(defaultPriceList.CreateCacheRatio1h),
  /** The price of an input audio token relative to an input token; absent: 20. */
  AudioRatio: decimals(defaultPriceList.AudioRatio),
  /** The price of an output audio token relative to an input audio token; absent: 2. */
  AudioCompletionRatio: decimals(defaultPriceList.AudioCompletionRatio),
  /** The price of an input image token relative to an input token; absent: 1. */
  ImageRatio: decimals(defaultPriceList.ImageRatio),
  /** Factors of the prices of tasks, by model: see `taskPriceFactors`. */
  TaskPriceFactors: define({
    type: "json",
    schema: taskPriceFactors.refine(
      (models) => Object.keys(models).length <= taskModelsMax,
      `最多 ${taskModelsMax} 个模型`,
    ),
    defaultValue: {},
  }),
  /** What is charged more for long prompts, by model: see `charge.ts`. */
  LongContextPrices: define({ type: "json", schema: longContextOption, defaultValue: {} }),
  /** What service tiers cost, by model and tier: see `service-tiers.ts`. */
  ServiceTierPrices: define({ type: "json", schema: serviceTierOption, defaultValue: {} }),
  /** What calls cost at some hours of the day in UTC, by model: see `price-terms.ts`. */
  HourPrices: define({ type: "json", schema: hourPriceOption, defaultValue: {} }),
  /** Fees per 1,000 calls and searches in dollars, by model: see `price-terms.ts`. */
  SearchPrices: define({ type: "json", schema: searchPriceOption, defaultValue: {} }),
  /** Prices of single kinds of tokens, by model: see `price-terms.ts`. */
  TokenKindPrices: define({ type: "json", schema: kindPriceOption, defaultValue: {} }),
  /** Maps a group to the factor of all its prices; only groups that are in this map exist. */
  GroupRatio: define({
    type: "decimalMap",
    schema: groupDecimalsOption.refine(
      (ratios) => Object.hasOwn(ratios, "default"),
      "分组倍率必须包含 default：新用户和没有选择分组的调用都属于它",
    ),
    defaultValue: defaultPriceList.GroupRatio,
  }),
  /** Maps a group that users may choose besides their own to its description. */
  UserUsableGroups: define({
    type: "textMap",
    schema: groupTextsOption,
    defaultValue: { default: "默认分组", vip: "vip分组" },
  }),
} as const;
