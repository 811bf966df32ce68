/**
 * Redemption codes: texts that root sells or gives away, each of which becomes quota once.
 *
 * Fields are spelled as in one-api's console API. Times are Unix seconds, quota is whole quota
 * units.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import {
  id,
  queryText,
  queryWhole,
  sentText,
  sentWhole,
} from "@tollgate/contract/fields/fields.ts";
import { page, pageInput } from "./page.ts";
import { expiredTimeMax } from "./tokens.ts";

/** States of a code, as the numbers of one-api's console API. */
export const redemptionStatus = z.enum({ unused: 1, disabled: 2, used: 3 });
export type RedemptionStatus = z.infer<typeof redemptionStatus>;

/** Number of letters and digits of a code: 190 random bits. */
export const redemptionKeyLength = 32;

/** The longest name, in characters. */
export const redemptionNameMax = 20;

/** The largest number of codes that one call creates or changes. */
export const redemptionBatchMax = 100;

/** The largest number of codes of one batch that root may allow each user. */
export const redemptionUserLimitMax = redemptionBatchMax;

/** The longest text that is accepted as a code, in characters. */
const sentKeyMax = 128;

const whole = z.number().int();

export const redemption = z.object({
  id: whole,
  /** Id of the user who created the code. */
  user_id: whole,
  name: z.string(),
  /** The whole code. */
  key: z.string(),
  quota: whole,
  status: redemptionStatus,
  /** The group whose users may redeem the code; empty: every user. */
  group: z.string(),
  /** Names the codes that were created by one call. */
  batch_id: z.string(),
  /** How many codes of the batch one user may redeem; 0: any number. */
  user_limit: whole,
  /** When the code expires; 0: never. */
  expired_time: whole,
  created_time: whole,
  /** When the code was redeemed; 0: not yet. */
  redeemed_time: whole,
  /** Id of the user who redeemed the code; 0: nobody. */
  used_user_id: whole,
  /** The name of that user; empty: nobody. */
  used_username: z.string(),
  /** Always 0; it has a meaning only when codes are created. */
  count: z.literal(0),
  /** Always null: deleted codes are in no list. */
  DeletedAt: z.null(),
});
export type Redemption = z.infer<typeof redemption>;

/** Lists all codes, newest first. */
export const listRedemptions = endpoint({
  method: "GET",
  path: "/api/redemption/",
  access: "root",
  input: z.object(pageInput),
  output: page(redemption),
});

/**
 * Finds codes by id, by the beginning of the name, or by the whole code, and by their state and the
 * beginning of the name of the user who redeemed them.
 */
export const searchRedemptions = endpoint({
  method: "GET",
  path: "/api/redemption/search",
  access: "root",
  input: z.object({ ...pageInput, keyword: queryText, status: queryWhole, used_by: queryText }),
  output: page(redemption),
});

export const readRedemption = endpoint({
  method: "GET",
  path: "/api/redemption/:id",
  access: "root",
  input: z.object({ id }),
  output: redemption,
});

const quotaRule = "额度必须是大于 0 的整数";
const countRule = `兑换码个数必须是 1 到 ${redemptionBatchMax} 的整数`;
const limitRule = `每人限用数必须是 0 到 ${redemptionUserLimitMax} 的整数`;

/** The settings that root chooses. */
const settings = {
  name: sentText(Number.MAX_SAFE_INTEGER, "兑换码名称无效"),
  quota: sentWhole(1, Number.MAX_SAFE_INTEGER, quotaRule),
  group: sentText(64, "无效的参数：group"),
  expired_time: sentWhole(0, expiredTimeMax, "过期时间无效"),
  user_limit: sentWhole(0, redemptionUserLimitMax, limitRule),
};

/** Creates codes, all of them or none, and answers with them. Their quota has no usual value. */
export const createRedemptions = endpoint({
  method: "POST",
  path: "/api/redemption/",
  access: "root",
  input: z.object({
    ...settings,
    quota: settings.quota.transform((quota, context) => {
      if (quota !== undefined) return quota;
      context.addIssue({ code: "custom", message: quotaRule });
      return z.NEVER;
    }),
    count: sentWhole(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, countRule),
  }),
  output: z.array(z.string()),
});

/** Changes an unused code; absent fields stay as they are. */
export const updateRedemption = endpoint({
  method: "PUT",
  path: "/api/redemption/",
  access: "root",
  input: z.object({ id, ...settings }),
  output: redemption,
});

const switchable = redemptionStatus.extract(["unused", "disabled"], "无效的参数");

/** Disables a code, or enables a disabled one. A used one stays used. */
export const updateRedemptionStatus = endpoint({
  method: "PUT",
  path: "/api/redemption/",
  flag: "status_only",
  access: "root",
  input: z.object({ id, status: switchable }),
  output: redemption,
});

export const removeRedemption = endpoint({
  method: "DELETE",
  path: "/api/redemption/:id",
  access: "root",
  input: z.object({ id }),
  output: z.void(),
});

const noneChosen = "请至少选择一个兑换码！";
const ids = z.array(id, noneChosen).min(1, noneChosen).max(redemptionBatchMax, "参数错误");

/**
 * Changes the state of several codes. The answer says for each, in the order of the request, why it
 * was refused.
 */
export const updateRedemptionStatuses = endpoint({
  method: "POST",
  path: "/api/redemption/batch/status",
  access: "root",
  input: z.object({ ids, status: switchable }),
  output: z.array(z.object({ id: whole, success: z.boolean(), message: z.string() })),
});

/** Removes several codes and answers with their number. */
export const removeRedemptions = endpoint({
  method: "POST",
  path: "/api/redemption/batch",
  access: "root",
  input: z.object({ ids }),
  output: whole,
});

/** Turns a code into quota of the caller's balance, and answers with this quota. */
export const redeem = endpoint({
  method: "POST",
  path: "/api/user/topup",
  access: "user",
  input: z.object({
    key: z.string("未提供兑换码").trim().max(sentKeyMax, "兑换失败，无效的兑换码"),
  }),
  output: whole,
});
