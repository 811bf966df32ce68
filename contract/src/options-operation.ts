/** Options of running the gateway: quota, prices, relaying, watching. */

import { z } from "zod";
import { defaultPriceList } from "./default-prices.ts";
import { choice, decimals, define, flag, whole } from "./kinds.ts";
import {
  groupDecimalsOption,
  groupTextsOption,
  linesOption,
  linkOption,
  numberOption,
  positiveDecimal,
  quotaOption,
} from "./field-schemas.ts";
import { tokensPerUserMax } from "./tokens.ts";

/** An amount of quota units. */
function quota(defaultValue: number) {
  return define({ type: "number", schema: quotaOption, defaultValue, unit: "quota" });
}

export const quotaOptions = {
  /** Credited when an account is created. */
  QuotaForNewUser: quota(0),
  /** Credited to the inviter of a new account, as affiliate earnings. */
  QuotaForInviter: quota(0),
  /** Credited to a new account that was created by an invitation, besides `QuotaForNewUser`. */
  QuotaForInvitee: quota(0),
  /**
   * Output tokens that are held for a call without a limit of its own; output beyond them may go
   * unpaid.
   */
  PreConsumedQuota: whole(1, 1_000_000, 4_096),
  /** The owner is notified when the balance falls below it. */
  QuotaRemindThreshold: quota(1_000),
  /** A call that could cost more is refused; 0: no limit. */
  QuotaPerCallMax: quota(0),
} as const;

export const generalOptions = {
  /** Address of a shop for redemption codes. */
  TopUpLink: define({ type: "text", schema: linkOption, defaultValue: "" }),
  /** Address of the documentation. */
  "general_setting.docs_link": define({ type: "text", schema: linkOption, defaultValue: "" }),
  /** Quota units of one US dollar; used for prices per call and for amounts on screens. */
  QuotaPerUnit: define({
    type: "decimal",
    schema: positiveDecimal,
    defaultValue: defaultPriceList.QuotaPerUnit,
  }),
  /** Screens show quota as US dollars instead of quota units. */
  DisplayInCurrencyEnabled: flag(true),
  /** Billing queries with a token answer with the token's figures instead of its owner's. */
  DisplayTokenStatEnabled: flag(true),
  /** The largest number of tokens of one user; users who already have more keep them. */
  TokensPerUserMax: whole(1, tokensPerUserMax, 1_000),
  /** The side menu starts collapsed. */
  DefaultCollapseSidebar: flag(false),
  /** The console says that this installation is a trial. */
  DemoSiteEnabled: flag(false),
  /** Everything about payment is hidden. */
  SelfUseModeEnabled: flag(false),
} as const;

export const relayOptions = {
  /** Further channels that a call may try after a failure. */
  RetryTimes: whole(0, 10, 2),
  /** Largest body of a call. */
  RelayBodyMegabytesMax: whole(1, 128, 10, "megabytes"),
} as const;

export const rateLimitOptions = {
  ModelRequestRateLimitEnabled: flag(false),
  /** Period over which a user's calls are counted. */
  ModelRequestRateLimitDurationMinutes: whole(1, 1_440, 1, "minutes"),
  /** Calls of one user in a period, including failed ones; 0: no limit. */
  ModelRequestRateLimitCount: whole(0, 1_000_000, 0),
  /** Successful calls of one user in a period. */
  ModelRequestRateLimitSuccessCount: whole(1, 1_000_000, 1_000),
  /** Calls of one user that may run at once on a node; 0: no limit. */
  CallsAtOncePerUserMax: whole(0, 100_000, 0),
  /** Calls with one token that may run at once on a node; 0: no limit. */
  CallsAtOncePerTokenMax: whole(0, 100_000, 0),
} as const;

export const sensitiveWordOptions = {
  CheckSensitiveEnabled: flag(true),
  /** Prompts are checked; needs `CheckSensitiveEnabled` as well. */
  CheckSensitiveOnPromptEnabled: flag(true),
  /** One word a line, letter case ignored; empty: prompts are not searched. */
  SensitiveWords: define({ type: "lines", schema: linesOption(10_000, 200), defaultValue: [] }),
} as const;

const keptRule = "调用日志是账目的一部分，不能关闭";

export const logOptions = {
  /** Log rows are covered by the ledger's hashes, so they are always written. */
  LogConsumeEnabled: define({
    type: "flag",
    schema: z.literal(true, keptRule),
    defaultValue: true,
  }),
  /** Texts of requests and responses are stored. */
  LogContentEnabled: flag(false),
  /** The largest number of bytes stored of each text. */
  LogContentMaxBytes: whole(1, 1_048_576, 65_536, "bytes"),
} as const;

export const dataExportOptions = {
  /** The dashboard is shown. */
  DataExportEnabled: flag(true),
  /** Time between two updates of the dashboard's figures. */
  DataExportInterval: whole(1, 1_440, 5, "minutes"),
  /** The dashboard's time unit when it opens. */
  DataExportDefaultTime: choice(["hour", "day", "week"], "hour"),
} as const;

export const drawingOptions = {
  DrawingEnabled: flag(true),
  TaskEnabled: flag(true),
  /** Notify hooks of clients are passed to the upstream. */
  MjNotifyEnabled: flag(false),
  /** Clients may choose an account by a filter. */
  MjAccountFilterEnabled: flag(false),
  /** Mode words are removed from prompts. */
  MjModeClearEnabled: flag(false),
  /** Picture addresses lead through this server. */
  MjForwardUrlEnabled: flag(true),
  /** Follow-up actions wait until the first one has succeeded. */
  MjActionCheckSuccessEnabled: flag(true),
} as const;

export const monitoringOptions = {
  /** A channel test that takes longer counts as failed; 0: no limit. */
  ChannelDisableThreshold: define({
    type: "number",
    schema: numberOption(0, 3_600),
    defaultValue: 5,
    unit: "seconds",
  }),
  /** A channel is disabled when it fails by its own fault. */
  AutomaticDisableChannelEnabled: flag(false),
  /** A successful test enables a channel that was disabled automatically. */
  AutomaticEnableChannelEnabled: flag(false),
  /**
   * A channel is disabled when an upstream error contains one of these texts, letter case ignored.
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

/** Ratios by model; `charge.ts` says how a price is computed from them. */
export const priceOptions = {
  /** US dollars a call, whatever it uses; wins over the ratios. */
  ModelPrice: decimals(defaultPriceList.ModelPrice),
  /** Price of an input token; 1 is 2 US dollars a million. */
  ModelRatio: decimals(defaultPriceList.ModelRatio),
  /** The price of an output token relative to an input token; absent: 1. */
  CompletionRatio: decimals(defaultPriceList.CompletionRatio),
  /** The price of a cached input token relative to an input token; absent: 1. */
  CacheRatio: decimals(defaultPriceList.CacheRatio),
  /** The price of a token kept for 5 minutes, relative to an input token; absent: 1.25. */
  CreateCacheRatio: decimals(defaultPriceList.CreateCacheRatio),
  /** The price of a token kept for an hour, relative to an input token; absent: 2. */
  CreateCacheRatio1h: decimals(defaultPriceList.CreateCacheRatio1h),
  /** The price of an input audio token relative to an input token; absent: 20. */
  AudioRatio: decimals(defaultPriceList.AudioRatio),
  /** The price of an output audio token relative to an input audio token; absent: 2. */
  AudioCompletionRatio: decimals(defaultPriceList.AudioCompletionRatio),
  /** The price of an input image token relative to an input token; absent: 1. */
  ImageRatio: decimals(defaultPriceList.ImageRatio),
  /** Group → factor of all prices; only groups that are in this map exist. */
  GroupRatio: define({
    type: "decimalMap",
    schema: groupDecimalsOption.refine(
      (ratios) => Object.hasOwn(ratios, "default"),
      "分组倍率必须包含 default：新用户和没有选择分组的调用都属于它",
    ),
    defaultValue: defaultPriceList.GroupRatio,
  }),
  /** Group that users may choose besides their own → description. */
  UserUsableGroups: define({
    type: "textMap",
    schema: groupTextsOption,
    defaultValue: { default: "默认分组", vip: "vip分组" },
  }),
} as const;
