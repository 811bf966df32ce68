/**
 * The token forms: the values of their controls, and how these become the input of the API. Pure
 * functions.
 */

import {
  expiredTimeMax,
  mjMode,
  mjProxyMethod,
  rateCountMax,
  rateMessageMax,
  rateSecondsMax,
  type Token,
  tokenListMax,
  tokenNameMax,
} from "@tollgate/contract/endpoints/tokens.ts";
import { characterCount } from "@tollgate/contract/fields/fields.ts";
import { plainTag, tagLengthMax, tagsMax } from "@tollgate/contract/logs/tags.ts";
import { z } from "zod";
import type { T } from "#i18n/t.ts";
import { dateText, parseDateText } from "#ui/date/date-text.ts";
import { neverExpires } from "#widgets/tokens/token-state.ts";
import { modelLimitsOf } from "./token-state.ts";

export type TokenForm = {
  name: string;
  /** The time of expiry in local time, as it is typed; empty: never. */
  expired_time: string;
  /** Quota units; null: the field is empty; NaN: the text is not an amount. */
  remain_quota: number | null;
  unlimited_quota: boolean;
  /** How many tokens are created at once. */
  count: number | null;
  model_limits_enabled: boolean;
  model_limits: string[];
  /** One address or CIDR block per line; empty: the token works from any address. */
  allow_ips: string;
  /** Addresses and blocks from which the token is refused, one per line. */
  deny_ips: string;
  /** Quota units that the token may spend in a day, a week and a month; null: any amount. */
  budget_day: number | null;
  budget_week: number | null;
  budget_month: number | null;
  /** Calls that the token may begin in `rate_limit_seconds`; null: any number. */
  rate_limit_count: number | null;
  rate_limit_seconds: number | null;
  rate_limit_message: string;
  mj_mode: Token["mj_mode"];
  mj_proxy_method: Token["mj_proxy_method"];
  mj_proxy_address: string;
  mj_backup_pool: boolean;
  /** The token's own chat clients, one per line: a name, a space, an address. */
  chat_links: string;
  /** Tags of each call, one per line. */
  tags: string;
  /** The group that the token uses; empty: the owner's own. */
  group: string;
};

/** The settings of a token as they are sent: always all of them. */
export type TokenValues = {
  readonly name: string;
  readonly expired_time: number;
  readonly remain_quota: number;
  readonly unlimited_quota: boolean;
  readonly model_limits_enabled: boolean;
  readonly model_limits: string;
  readonly allow_ips: string;
  readonly deny_ips: string;
  readonly budget_day: number;
  readonly budget_week: number;
  readonly budget_month: number;
  readonly rate_limit_count: number;
  readonly rate_limit_seconds: number;
  readonly rate_limit_message: string;
  readonly mj_mode: Token["mj_mode"];
  readonly mj_proxy_method: Token["mj_proxy_method"];
  readonly mj_proxy_address: string;
  readonly mj_backup_pool: boolean;
  readonly chat_links: string;
  readonly tags: string;
  readonly group: string;
};

/** What the form results in: the settings for the new tokens, and how many to create. */
export type TokenDraft = { readonly token: TokenValues; readonly count: number };

/** The quota that the form of a new token suggests, in units: the specification's default. */
const quotaDefault = 500_000;

/**
 * Suggested quotas, in units: 1, 10, 50, 100, 500 and 1000 dollars at the specification's 500,000
 * units per dollar.
 */
export const quotaPresets = [500_000, 5_000_000, 25_000_000, 50_000_000, 250_000_000, 500_000_000];

export const countPresets = [10, 20, 30, 100];

/** The largest number of tokens that can be created together; also the largest suggested number. */
export const countMax = 100;

/** Length of the random suffix that makes the names of tokens created together distinct. */
const suffixLength = 6;

export const newTokenForm: TokenForm = {
  name: "",
  expired_time: "",
  remain_quota: quotaDefault,
  unlimited_quota: false,
  count: 1,
  model_limits_enabled: false,
  model_limits: [],
  allow_ips: "",
  deny_ips: "",
  budget_day: null,
  budget_week: null,
  budget_month: null,
  rate_limit_count: null,
  rate_limit_seconds: 60,
  rate_limit_message: "",
  mj_mode: "",
  mj_proxy_method: "",
  mj_proxy_address: "",
  mj_backup_pool: false,
  chat_links: "",
  tags: "",
  group: "",
};

export function tokenFormOf(token: Token): TokenForm {
  return {
    name: token.name,
    expired_time: token.expired_time === neverExpires ? "" : dateText(token.expired_time),
    remain_quota: token.remain_quota,
    unlimited_quota: token.unlimited_quota,
    count: 1,
    model_limits_enabled: token.model_limits_enabled,
    model_limits: modelLimitsOf(token),
    allow_ips: token.allow_ips,
    deny_ips: token.deny_ips,
    budget_day: orNone(token.budget_day),
    budget_week: orNone(token.budget_week),
    budget_month: orNone(token.budget_month),
    rate_limit_count: orNone(token.rate_limit_count),
    rate_limit_seconds: token.rate_limit_seconds,
    rate_limit_message: token.rate_limit_message,
    mj_mode: token.mj_mode,
    mj_proxy_method: token.mj_proxy_method,
    mj_proxy_address: token.mj_proxy_address,
    mj_backup_pool: token.mj_backup_pool,
    chat_links: token.chat_links,
    tags: token.tags,
    group: token.group,
  };
}

/** A limit as its input shows it: 0, which means none, is an empty input. */
function orNone(limit: number): number | null {
  return limit === 0 ? null : limit;
}

/**
 * Makes the schema of the token forms.
 * @param nowSeconds the present time, which a new token's expiry must follow; null: an existing
 * token, whose expiry may be in the past.
 */
export function tokenSchema(t: T, nowSeconds: number | null): z.ZodType<TokenDraft> {
  return (
    z
      .object({
        name: z
          .string()
          .trim()
          .min(1, t("tokens.nameRequired"))
          .refine(
            (name) => characterCount(name) <= tokenNameMax,
            t("tokens.nameTooLong", { max: tokenNameMax }),
          ),
        expired_time: expirySchema(t, nowSeconds),
        remain_quota: z.union([z.number(), z.nan(), z.null()]),
        unlimited_quota: z.boolean(),
        count: z
          .number(t("tokens.countRule", { max: countMax }))
          .int(t("tokens.countRule", { max: countMax }))
          .min(1, t("tokens.countRule", { max: countMax }))
          .max(countMax, t("tokens.countRule", { max: countMax })),
        model_limits_enabled: z.boolean(),
        model_limits: z
          .array(z.string())
          .max(tokenListMax, t("tokens.modelsTooMany", { max: tokenListMax })),
        allow_ips: ipsSchema(t),
        ...extrasSchema(t),
        group: z.string(),
      })
      // This rule is checked even if other fields are invalid, so that all mistakes are shown at
      // the same time.
      .refine((form) => !form.model_limits_enabled || form.model_limits.length > 0, {
        path: ["model_limits"],
        message: t("tokens.modelsRequired"),
        when: always,
      })
      .refine((form) => form.unlimited_quota || isQuota(form.remain_quota), {
        path: ["remain_quota"],
        message: t("tokens.quotaRule"),
        when: always,
      })
      .transform(({ count, remain_quota, model_limits, ...form }) => {
        // The amount is ignored for a token without a quota limit, so an invalid one is replaced by
        // 0 instead of reported.
        const token = {
          ...form,
          remain_quota: isQuota(remain_quota) ? remain_quota : 0,
          model_limits: model_limits.join(","),
        };
        return { token, count };
      })
  );
}

/** Makes the schemas of budgets, rate limit, drawing settings and chat clients. */
function extrasSchema(t: T) {
  const budget = z
    .union([z.number(), z.nan(), z.null()])
    .refine((quota) => quota === null || isQuota(quota), t("tokens.budgetRule"))
    .transform((quota) => quota ?? 0);
  const whole = (min: number, max: number) =>
    z
      .number(t("tokens.wholeRule", { min, max }))
      .int(t("tokens.wholeRule", { min, max }))
      .min(min, t("tokens.wholeRule", { min, max }))
      .max(max, t("tokens.wholeRule", { min, max }));
  return {
    deny_ips: ipsSchema(t),
    budget_day: budget,
    budget_week: budget,
    budget_month: budget,
    rate_limit_count: whole(0, rateCountMax)
      .nullable()
      .transform((count) => count ?? 0),
    rate_limit_seconds: whole(1, rateSecondsMax),
    rate_limit_message: z
      .string()
      .trim()
      .max(rateMessageMax, t("tokens.messageTooLong", { max: rateMessageMax })),
    mj_mode: mjMode,
    mj_proxy_method: mjProxyMethod,
    mj_proxy_address: z
      .string()
      .trim()
      .refine((address) => address === "" || /^https?:\/\/./i.test(address), t("tokens.proxyRule")),
    mj_backup_pool: z.boolean(),
    chat_links: z.string().trim(),
    tags: z
      .string()
      .trim()
      .refine(
        (text) => linesOf(text).every((line) => plainTag(line) === line),
        t("tokens.tagRule", { max: tagLengthMax }),
      )
      .refine((text) => linesOf(text).length <= tagsMax, t("tokens.tagsRule", { max: tagsMax })),
  };
}

const always = () => true;

function isQuota(quota: number | null): quota is number {
  return quota !== null && Number.isSafeInteger(quota) && quota >= 0;
}

function expirySchema(t: T, nowSeconds: number | null) {
  return z.string().transform((text, context) => {
    const seconds = parseDateText(text);
    if (seconds === null) return neverExpires;
    if (seconds === undefined || seconds <= 0 || seconds > expiredTimeMax) {
      context.addIssue({ code: "custom", message: t("tokens.expiryUnreadable") });
      return z.NEVER;
    }
    if (nowSeconds !== null && seconds <= nowSeconds) {
      context.addIssue({ code: "custom", message: t("tokens.expiryPast") });
      return z.NEVER;
    }
    return seconds;
  });
}

const address = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

function ipsSchema(t: T) {
  return z.string().transform((text, context) => {
    const lines = text.split("\n").map((line) => line.trim());
    const wrong = lines.findIndex((line) => line !== "" && !address.safeParse(line).success);
    if (wrong !== -1) {
      const message = t("tokens.ipsRule", {
        line: wrong + 1,
        text: lines[wrong]?.slice(0, 50) ?? "",
      });
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    }
    return lines.filter((line) => line !== "").join("\n");
  });
}

/**
 * Makes names for tokens that are created together: first the name itself, then the name with six
 * random characters. Long names are cut to make room for these.
 */
export function copyNames(name: string, count: number, random: () => string): string[] {
  const kept = [...name].slice(0, tokenNameMax - suffixLength - 1).join("");
  return Array.from({ length: count }, (_, index) => (index === 0 ? name : `${kept}-${random()}`));
}

/** Returns six random letters and digits. */
export function randomSuffix(): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  const bytes = crypto.getRandomValues(new Uint8Array(suffixLength));
  return [...bytes].map((byte) => letters[byte % letters.length]).join("");
}

/**
 * Whether somebody else has changed the token's settings since they were read. Spent quota does not
 * count as a change.
 */
export function isChangedElsewhere(read: Token, now: Token): boolean {
  const names = [
    "name",
    "expired_time",
    "unlimited_quota",
    "model_limits_enabled",
    "model_limits",
    "allow_ips",
    "deny_ips",
    "budget_day",
    "budget_week",
    "budget_month",
    "rate_limit_count",
    "rate_limit_seconds",
    "rate_limit_message",
    "mj_mode",
    "mj_proxy_method",
    "mj_proxy_address",
    "mj_backup_pool",
    "chat_links",
    "tags",
    "group",
  ] as const;
  const granted = (token: Token) => token.remain_quota + token.used_quota;
  return names.some((name) => read[name] !== now[name]) || granted(read) !== granted(now);
}

function linesOf(text: string): readonly string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "");
}
