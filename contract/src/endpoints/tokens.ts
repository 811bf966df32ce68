/**
 * Tokens: what client programs present to the relay as `sk-…`. Answers show them masked, as
 * `ab12••••wxyz` without `sk-`; only creating and revealing a token answers with the whole key.
 *
 * Fields are spelled as in one-api's console API; times are Unix seconds, quota is whole units.
 * Consoles send whole rows back, so a call ignores what it may not change, such as a masked key.
 */

import { z } from "zod";
import { budgetState } from "@tollgate/contract/money/budgets.ts";
import { endpoint } from "./endpoint.ts";
import {
  id,
  queryText,
  queryWhole,
  sentFlag,
  sentText,
  sentWhole,
} from "@tollgate/contract/fields/fields.ts";
import { pageInput } from "./page.ts";

/** States of a token, as the numbers of one-api's console API. */
export const tokenStatus = z.enum({ enabled: 1, disabled: 2, expired: 3, exhausted: 4 });
export type TokenStatus = z.infer<typeof tokenStatus>;

/** Number of letters and digits of a key. */
export const tokenKeyLength = 48;

export const tokenNameMax = 30;

/** The largest number of tokens of one user, whatever option `TokensPerUserMax` says. */
export const tokensPerUserMax = 10_000;

/** The latest expiry that a token can have: the last second of the year 9999. */
export const expiredTimeMax = 253_402_300_799;

/** The largest number of entries of a list of models or addresses. */
export const tokenListMax = 1_000;

/** The longest text of the error of a token's rate limit, in characters. */
export const rateMessageMax = 200;

/** The largest rate limit of a token: calls, and the seconds in which they are counted. */
export const rateCountMax = 1_000_000;
export const rateSecondsMax = 86_400;

/** The largest number of chat clients of a token, and the longest name of one, in characters. */
export const chatLinksMax = 10;
export const chatNameMax = 30;

/** The longest address of a picture proxy or chat client, in characters. */
export const tokenAddressMax = 500;

/** The speed of a token's drawing tasks; empty: what the request says. */
export const mjMode = z.enum(["", "fast", "relax", "turbo"], "绘图模式无效");

/**
 * How addresses of drawn pictures are rewritten. `prefix`: the proxy's address is put in front;
 * `replace`: it replaces scheme and host. Empty: they stay.
 */
export const mjProxyMethod = z.enum(["", "prefix", "replace"], "图片代理方式无效");

/** The largest number of rows a search without paging answers with. */
export const tokenSearchMax = 100;

/** The largest number of tokens of one batch call. */
export const tokenBatchMax = 100;

const whole = z.number().int();

export const token = z.object({
  id: whole,
  user_id: whole,
  /** The masked key; only the answer to creating the token has the whole key. */
  key: z.string(),
  status: tokenStatus,
  name: z.string(),
  created_time: whole,
  accessed_time: whole,
  /** When the token expires; −1: never. */
  expired_time: whole,
  /** The quota that the token may still spend; meaningless if `unlimited_quota` is set. */
  remain_quota: whole,
  unlimited_quota: z.boolean(),
  used_quota: whole,
  model_limits_enabled: z.boolean(),
  /** Names of models, separated by commas. */
  model_limits: z.string(),
  /** Addresses and CIDR blocks, one a line; empty: any. */
  allow_ips: z.string(),
  /** Addresses and CIDR blocks from which the token may not be used, one a line. */
  deny_ips: z.string(),
  /** How many calls may begin within `rate_limit_seconds`; 0: any number. */
  rate_limit_count: whole,
  rate_limit_seconds: whole,
  /** The text of the error of a call over the rate limit; empty: the usual text. */
  rate_limit_message: z.string(),
  mj_mode: mjMode,
  mj_proxy_method: mjProxyMethod,
  mj_proxy_address: z.string(),
  /** Whether drawing tasks may use channels that are tagged `backup`. */
  mj_backup_pool: z.boolean(),
  /** Chat clients, one a line: a name, a space, and an address with `{key}` and `{address}`. */
  chat_links: z.string(),
  /** Tags that each call with the token gets, one a line. */
  tags: z.string(),
  /** How much the token may spend in a day, a week and a month, in quota units; 0: any amount. */
  budget_day: whole,
  budget_week: whole,
  budget_month: whole,
  /** The present windows of those budgets that have a limit: day, week, month. */
  budgets: z.array(budgetState),
  /** The masked key that was replaced and may still be used; empty: there is none. */
  old_key: z.string(),
  /** When `old_key` ends, in Unix seconds; 0: there is none. */
  old_key_ends_at: whole,
  /** Group whose prices and channels the token's calls use; empty: the owner's group. */
  group: z.string(),
  DeletedAt: z.null(),
  /** The owner's name; only in answers to root about all users' tokens. */
  username: z.string().optional(),
});
export type Token = z.infer<typeof token>;

const quotaMax = Number.MAX_SAFE_INTEGER;
const budgetRule = "预算必须是不小于 0 的整数";
const list = (rule: string) =>
  z.union([z.string().max(100_000, rule), z.null()], rule).transform((text) => text ?? "");

/** A choice; `null` means the empty one. */
const sentChoice = <Choice extends z.ZodEnum>(choice: Choice) =>
  z.preprocess((sent) => (sent === null ? "" : sent), choice.optional());

/**
 * The settings that owners choose. An absent field gets its default when a token is created, and
 * keeps its value when one is edited.
 */
const settings = {
  name: sentText(tokenNameMax, "令牌名称过长"),
  expired_time: sentWhole(-1, expiredTimeMax, "过期时间无效"),
  /** The quota that the token may still spend. */
  remain_quota: sentWhole(0, quotaMax, "额度必须是不小于 0 的整数"),
  unlimited_quota: sentFlag,
  model_limits_enabled: sentFlag,
  model_limits: list("模型限制列表无效").optional(),
  allow_ips: list("IP 白名单无效").optional(),
  deny_ips: list("IP 黑名单无效").optional(),
  rate_limit_count: sentWhole(0, rateCountMax, `速率限制的次数必须是 0 到 ${rateCountMax} 的整数`),
  rate_limit_seconds: sentWhole(
    1,
    rateSecondsMax,
    `速率限制的周期必须是 1 到 ${rateSecondsMax} 秒的整数`,
  ),
  rate_limit_message: sentText(rateMessageMax, `速率限制的提示不能超过 ${rateMessageMax} 个字符`),
  mj_mode: sentChoice(mjMode),
  mj_proxy_method: sentChoice(mjProxyMethod),
  mj_proxy_address: sentText(tokenAddressMax, "图片代理地址无效"),
  mj_backup_pool: sentFlag,
  chat_links: list("聊天配置无效").optional(),
  budget_day: sentWhole(0, quotaMax, budgetRule),
  budget_week: sentWhole(0, quotaMax, budgetRule),
  budget_month: sentWhole(0, quotaMax, budgetRule),
  group: sentText(64, "无效的参数：group"),
  tags: list("标签无效").optional(),
};

const ownId = z.object({ id });

const edit = z.object({
  id,
  ...settings,
  /**
   * The used quota that the caller read. With it, an edit does not give back quota that was spent
   * in the meantime.
   */
  used_quota: sentWhole(0, quotaMax, "无效的参数：used_quota"),
});

const switchStatus = z.object({
  id,
  status: tokenStatus.extract(["enabled", "disabled"], "无效的参数"),
});

/** Number of rows on all pages. */
const total = z.object({ total: whole });

/** Lists the caller's tokens, newest first. Pages count from 0. */
export const listTokens = endpoint({
  method: "GET",
  path: "/api/token/",
  access: "user",
  input: z.object(pageInput),
  output: z.array(token),
  extras: total,
});

const filter = { keyword: queryText, token: queryText };

/** Matches tokens of users whose names contain this text. */
const owner = { username: queryText };

/**
 * Searches the caller's tokens: those whose name contains `keyword` and whose key equals `token` or
 * is masked like it. Pages count from 0; without a page, the first `tokenSearchMax`.
 */
export const searchTokens = endpoint({
  method: "GET",
  path: "/api/token/search",
  access: "user",
  input: z.object({ ...pageInput, ...filter }),
  output: z.array(token),
  extras: total,
});

/**
 * Lists the tokens of all users for root, otherwise the caller's. Pages count from 0 in `p`, from 1
 * in `page`.
 */
export const queryTokens = endpoint({
  method: "GET",
  path: "/api/token/query",
  access: "user",
  input: z.object({ ...pageInput, page: queryWhole }),
  output: z.array(token),
  extras: total,
});

/**
 * Searches all users' tokens for root, otherwise the caller's. Without a page, the first
 * `tokenSearchMax`.
 */
export const searchAllTokens = endpoint({
  method: "GET",
  path: "/api/token/newSearch",
  access: "user",
  input: z.object({ ...pageInput, page: queryWhole, ...filter, ...owner }),
  output: z.array(token),
  extras: total,
});

export const readToken = endpoint({
  method: "GET",
  path: "/api/token/:id",
  access: "user",
  input: ownId,
  output: token,
});

/** Creates a token. The answer has the whole key, so that the console can offer to copy it. */
export const createToken = endpoint({
  method: "POST",
  path: "/api/token/",
  access: "user",
  input: z.object(settings),
  output: token,
});

export const updateToken = endpoint({
  method: "PUT",
  path: "/api/token/",
  access: "user",
  input: edit,
  output: token,
});

/** Enables or disables a token. One that is expired or exhausted cannot be enabled. */
export const updateTokenStatus = endpoint({
  method: "PUT",
  path: "/api/token/",
  flag: "status_only",
  access: "user",
  input: switchStatus,
  output: token,
});

export const removeToken = endpoint({
  method: "DELETE",
  path: "/api/token/:id",
  access: "user",
  input: ownId,
  output: z.void(),
});

/**
 * Answers with the whole key of a token, without `sk-`, for its owner and for root. The audit log
 * records who read it.
 */
export const revealToken = endpoint({
  method: "POST",
  path: "/api/token/:id/key",
  access: "user",
  input: ownId,
  output: z.object({ key: z.string() }),
});

const ids = z.array(id).min(1, "参数错误").max(tokenBatchMax, "参数错误");

/** Removes the caller's tokens and answers with their number. */
export const removeTokens = endpoint({
  method: "POST",
  path: "/api/token/batch",
  access: "user",
  input: z.object({ ids }),
  output: whole,
});

/**
 * Enables or disables several of the caller's tokens. The answer says for each, in the order of the
 * request, why it was refused.
 */
export const updateTokenStatuses = endpoint({
  method: "POST",
  path: "/api/token/batch/status",
  access: "user",
  input: z.object({ ids, status: switchStatus.shape.status }),
  output: z.array(z.object({ id: whole, success: z.boolean(), message: z.string() })),
});

/**
 * Answers with the whole keys of several tokens, without `sk-`, in the order of the request; root
 * may read those of all users. Unknown ids are left out. The audit log records each key that was
 * read.
 */
export const revealTokens = endpoint({
  method: "POST",
  path: "/api/token/batch/keys",
  access: "user",
  stepUp: () => true,
  input: z.object({ ids }),
  output: z.array(z.object({ id: whole, name: z.string(), key: z.string() })),
});

/** Reads a token of any user, with its owner's name. */
export const readAnyToken = endpoint({
  ...readToken,
  path: "/api/token/new/:id",
  access: "root",
});

export const updateAnyToken = endpoint({
  ...updateToken,
  path: "/api/token/new/",
  access: "root",
});

export const updateAnyTokenStatus = endpoint({
  ...updateTokenStatus,
  path: "/api/token/new/",
  access: "root",
});

/** Enables or disables several tokens of any users. */
export const updateAnyTokenStatuses = endpoint({
  ...updateTokenStatuses,
  path: "/api/token/new/batch/status",
  access: "root",
});

export const removeAnyToken = endpoint({
  ...removeToken,
  path: "/api/token/new/:id",
  access: "root",
});

/** Removes tokens of any users and answers with their number. */
export const removeAnyTokens = endpoint({
  ...removeTokens,
  path: "/api/token/new/batch",
  access: "root",
});

/**
 * Answers with the remaining quota of one token, for pages that have its key. Programs should send
 * the key in `Authorization`; the input `key` is for programs that cannot.
 */
export const readTokenUsage = endpoint({
  method: "GET",
  path: "/api/usage/token/",
  access: "public",
  byKey: true,
  verdictField: "code",
  input: z.object({ key: queryText }),
  output: z.object({
    object: z.literal("token_usage"),
    name: z.string(),
    /** Quota units; granted = used + available. */
    total_granted: whole,
    total_used: whole,
    total_available: whole,
    unlimited_quota: z.boolean(),
    /** The models that the token may call; empty: every model. */
    model_limits: z.record(z.string(), z.literal(true)),
    model_limits_enabled: z.boolean(),
    /** When the token expires, in Unix seconds; 0: never. */
    expires_at: whole,
    /** When the key that was sent ends because it was replaced, in Unix seconds; 0: never. */
    key_ends_at: whole,
    budgets: z.array(budgetState),
  }),
});
