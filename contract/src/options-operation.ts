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
  /** Credited to whoever invited a new account, as affiliate earnings. */
  QuotaForInviter: quota(0),
  /** Credited besides to an account that came by an invitation. */
  QuotaForInvitee: quota(0),
  /** Output tokens a call that names no limit is held for; what it uses beyond may go unpaid. */
  PreConsumedQuota: whole(1, 1_000_000, 4_096),
  /** A balance that falls below it is told its owner. */
  QuotaRemindThreshold: quota(1_000),
  /** A call that could cost more is refused; 0: no limit. */
  QuotaPerCallMax: quota(0),
} as const;

export const generalOptions = {
  /** Address of a shop for redemption codes. */
  TopUpLink: define({ type: "text", schema: linkOption, defaultValue: "" }),
  /** Address of the documentation. */
  "general_setting.docs_link": define({ type: "text", schema: linkOption, defaultValue: "" }),
  /** What one US dollar is in quota units, for prices a call and for what screens show. */
  QuotaPerUnit: define({
    type: "decimal",
    schema: positiveDecimal,
    defaultValue: defaultPriceList.QuotaPerUnit,
  }),
  /** Screens show quota as US dollars instead of quota units. */
  DisplayInCurrencyEnabled: flag(true),
  /** Billing queries with a token show the token's figures instead of its owner's. */
  DisplayTokenStatEnabled: flag(true),
  /** Tokens one user may have; who has more keeps them. */
  TokensPerUserMax: whole(1, tokensPerUserMax, 1_000),
  /** The side menu starts collapsed. */
  DefaultCollapseSidebar: flag(false),
  /** The console says that this installation is for trying out. */
  DemoSiteEnabled: flag(false),
  /** Everything about payment is hidden. */
  SelfUseModeEnabled: flag(false),
} as const;

export const relayOptions = {
  /** Further channels one call may try before it fails. */
  RetryTimes: whole(0, 10, 2),
  /** Megabytes the body of a call may have. */
  RelayBodyMegabytesMax: whole(1, 128, 10, "megabytes"),
} as const;

export const rateLimitOptions = {
  ModelRequestRateLimitEnabled: flag(false),
  /** Minutes over which the calls of a user are counted. */
  ModelRequestRateLimitDurationMinutes: whole(1, 1_440, 1, "minutes"),
  /** Calls one user may make in a period, failed ones included; 0: any number. */
  ModelRequestRateLimitCount: whole(0, 1_000_000, 0),
  /** The same of calls that succeed. */
  ModelRequestRateLimitSuccessCount: whole(1, 1_000_000, 1_000),
} as const;

export const sensitiveWordOptions = {
  CheckSensitiveEnabled: flag(true),
  /** Prompts are checked; needs `CheckSensitiveEnabled` as well. */
  CheckSensitiveOnPromptEnabled: flag(true),
  /** One a line, in any letter case; none: nothing is looked for. */
  SensitiveWords: define({ type: "lines", schema: linesOption(10_000, 200), defaultValue: [] }),
} as const;

const keptRule = "调用日志是账目的一部分，不能关闭";

export const logOptions = {
  /** The log's rows are covered by the books' hashes, so they are always written. */
  LogConsumeEnabled: define({
    type: "flag",
    schema: z.literal(true, keptRule),
    defaultValue: true,
  }),
  /** Request and response texts are kept. */
  LogContentEnabled: flag(false),
  /** Bytes kept of each text. */
  LogContentMaxBytes: whole(1, 1_048_576, 65_536, "bytes"),
} as const;

export const dataExportOptions = {
  /** The dashboard is shown. */
  DataExportEnabled: flag(true),
  /** Minutes between two updates of the dashboard's figures. */
  DataExportInterval: whole(1, 1_440, 5, "minutes"),
  /** What the dashboard is divided by when it opens. */
  DataExportDefaultTime: choice(["hour", "day", "week"], "hour"),
} as const;

export const drawingOptions = {
  DrawingEnabled: flag(true),
  TaskEnabled: flag(true),
  /** Notify hooks of clients are passed on. */
  MjNotifyEnabled: flag(false),
  /** Clients may choose an account by a filter. */
  MjAccountFilterEnabled: flag(false),
  /** Mode words of a prompt are taken out. */
  MjModeClearEnabled: flag(false),
  /** Addresses of pictures lead through this server. */
  MjForwardUrlEnabled: flag(true),
  /** Follow-up actions wait for the first to succeed. */
  MjActionCheckSuccessEnabled: flag(true),
} as const;

export const monitoringOptions = {
  /** Seconds a channel's test may take before it counts as failing; 0: any. */
  ChannelDisableThreshold: define({
    type: "number",
    schema: numberOption(0, 3_600),
    defaultValue: 5,
    unit: "seconds",
  }),
  /** A channel that fails in a way of its own is disabled. */
  AutomaticDisableChannelEnabled: flag(false),
  /** A successful test enables a channel that was disabled automatically. */
  AutomaticEnableChannelEnabled: flag(false),
  /** An upstream error that contains one of these texts, in any letter case, disables it. */
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

/** Ratios are by model; what a price is made of stands in `charge.ts`. */
export const priceOptions = {
  /** US dollars a call costs whatever it uses; wins over the ratios. */
  ModelPrice: decimals(defaultPriceList.ModelPrice),
  /** Price of an input token; 1 is 2 US dollars a million. */
  ModelRatio: decimals(defaultPriceList.ModelRatio),
  /** Output token against an input token; absent: 1. */
  CompletionRatio: decimals(defaultPriceList.CompletionRatio),
  /** Cached input token against an input token; absent: 1. */
  CacheRatio: decimals(defaultPriceList.CacheRatio),
  /** Token kept 5 minutes against an input token; absent: 1.25. */
  CreateCacheRatio: decimals(defaultPriceList.CreateCacheRatio),
  /** Token kept an hour against an input token; absent: 2. */
  CreateCacheRatio1h: decimals(defaultPriceList.CreateCacheRatio1h),
  /** Input audio token against an input token; absent: 20. */
  AudioRatio: decimals(defaultPriceList.AudioRatio),
  /** Output audio token against an input audio token; absent: 2. */
  AudioCompletionRatio: decimals(defaultPriceList.AudioCompletionRatio),
  /** Input image token against an input token; absent: 1. */
  ImageRatio: decimals(defaultPriceList.ImageRatio),
  /** What prices are multiplied by, by group; a group exists by standing here. */
  GroupRatio: define({
    type: "decimalMap",
    schema: groupDecimalsOption,
    defaultValue: defaultPriceList.GroupRatio,
  }),
  /** Groups users may choose besides their own → description. */
  UserUsableGroups: define({
    type: "textMap",
    schema: groupTextsOption,
    defaultValue: { default: "默认分组", vip: "vip分组" },
  }),
} as const;
