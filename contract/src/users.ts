/**
 * Users: people's accounts. A user's quota is money: it is changed by what was added or taken,
 * never written over, so that spending which goes on meanwhile is not lost.
 *
 * Fields keep the specification's spelling. Times are Unix seconds, quota is whole quota units.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import {
  characterCount,
  id,
  isPlain,
  queryText,
  queryWhole,
  sentText,
  sentWhole,
} from "./fields.ts";
import { page, pageInput } from "./page.ts";

/** The numbers of the specification. A role may do whatever a lower one may. */
export const role = z.enum({ user: 1, admin: 10, root: 100 });
export type Role = z.infer<typeof role>;

/** The numbers of the specification; the third cannot be enabled again. */
export const userStatus = z.enum({ enabled: 1, disabled: 2, barred: 3 });
export type UserStatus = z.infer<typeof userStatus>;

export const usernameMax = 12;
export const displayNameMax = 20;
export const passwordMin = 8;
export const passwordMax = 128;

const whole = z.number().int();

/** What users see of themselves. No answer ever carries a password or an access token. */
export const user = z.object({
  id: whole,
  username: z.string(),
  display_name: z.string(),
  role,
  status: userStatus,
  email: z.string(),
  github_id: z.string(),
  oidc_id: z.string(),
  wechat_id: z.string(),
  telegram_id: z.string(),
  linux_do_id: z.string(),
  group: z.string(),
  /** What may still be spent, unspent holds of running calls included. */
  quota: whole,
  used_quota: whole,
  request_count: whole,
  /**
   * Which state of the balance `quota` is. A console that sends the row back with another quota
   * says by it what it saw.
   */
  quota_version: whole,
  aff_code: z.string(),
  aff_count: whole,
  aff_quota: whole,
  aff_history_quota: whole,
  /** 0: nobody. */
  inviter_id: whole,
  /** JSON text of `notifications.ts`; `""`: nothing set, or not the caller's own. */
  setting: z.string(),
  /** RFC 3339; null: not deleted. */
  DeletedAt: z.string().nullable(),
});
export type User = z.infer<typeof user>;

/** What admins see besides: consumption of the last 1, 7 and 30 days, and its part of everyone's. */
export const adminUser = user.extend({
  one_day: whole,
  one_week: whole,
  one_month: whole,
  one_day_ratio: z.number(),
  one_week_ratio: z.number(),
  one_month_ratio: z.number(),
  /** 0: never made a call. */
  last_use_time: whole,
  create_time: whole,
});
export type AdminUser = z.infer<typeof adminUser>;

/** What a sign-in answers and a console keeps. */
export const shortUser = user
  .pick({ id: true, username: true, display_name: true, role: true, status: true, group: true })
  .extend({
    /** Nothing but choosing another password is answered until that is done; see `updateSelf`. */
    password_expired: z.literal(true).optional(),
  });
export type ShortUser = z.infer<typeof shortUser>;

const passwordRule = `输入不合法 密码长度必须在 ${passwordMin}-${passwordMax} 之间`;

/** Empty and absent: leave it. Spaces count, whatever stands in it. */
export const sentPassword = z
  .union([z.string(), z.null()], passwordRule)
  .optional()
  .transform((sent) => (sent === null || sent === "" ? undefined : sent))
  .refine((sent) => sent === undefined || isPassword(sent), passwordRule);

export function isPassword(text: string): boolean {
  const length = characterCount(text);
  return length >= passwordMin && length <= passwordMax;
}

/** What keeps a name from being an account's. */
export type UsernameFault = "at-sign" | "too-long";

/**
 * Asked of every name that is given: to a new account, or in place of another one. A name that an
 * account has already is not asked, because accounts may come from another database.
 */
export function usernameFault(name: string): UsernameFault | null {
  if (characterCount(name) > usernameMax || !isPlain(name)) return "too-long";
  // Sign-in takes it for an address, whose owner comes first.
  return name.includes("@") ? "at-sign" : null;
}

export const usernameRules: Readonly<Record<UsernameFault, string>> = {
  "at-sign": "输入不合法 用户名不能含有 @",
  "too-long": `输入不合法 用户名最多 ${usernameMax} 个字符`,
};

/** Longest name that is read at all, in characters. */
const keptUsernameMax = 200;

/** Of an account that exists, whose present name is always taken. Empty and absent: leave it. */
const sentUsername = sentText(keptUsernameMax, usernameRules["too-long"]);

/** Of an account that is to be. */
export const newUsername = sentUsername.superRefine((name, context) => {
  const fault = name === undefined ? null : usernameFault(name);
  if (fault !== null) context.addIssue({ code: "custom", message: usernameRules[fault] });
});
const sentDisplayName = sentText(displayNameMax, `输入不合法 显示名最多 ${displayNameMax} 个字符`);

const quotaMax = Number.MAX_SAFE_INTEGER;

/** Newest first; deleted ones after all others. */
export const listUsers = endpoint({
  method: "GET",
  path: "/api/user/",
  access: "admin",
  input: z.object(pageInput),
  output: page(adminUser),
});

const filter = { keyword: queryText, group: queryText };

/** Those whose name, e-mail or display name holds `keyword` or whose id it is, of `group`. */
export const searchUsers = endpoint({
  method: "GET",
  path: "/api/user/search",
  access: "admin",
  input: z.object({ ...pageInput, ...filter }),
  output: page(adminUser),
});

/** Most rows `queryUsers` answers with when no page was asked for. */
export const queryUsersMax = 1_000;

/** The same search; without `p` and `page_size` a plain array. `total` counts all that match. */
export const queryUsers = endpoint({
  method: "GET",
  path: "/api/user/query",
  access: "admin",
  input: z.object({ ...pageInput, ...filter }),
  output: z.union([z.array(adminUser), page(adminUser)]),
  extras: z.object({ total: whole }),
});

/** Admins read users below them and themselves, root everybody. */
export const readUser = endpoint({
  method: "GET",
  path: "/api/user/:id",
  access: "admin",
  input: z.object({ id }),
  output: adminUser,
});

/** Creates an ordinary user. `role` is looked at only to refuse one that is too high. */
export const createUser = endpoint({
  method: "POST",
  path: "/api/user/",
  access: "admin",
  input: z.object({
    username: newUsername,
    display_name: sentDisplayName,
    password: sentPassword,
    role: queryWhole,
  }),
  output: z.void(),
});

/** Longest reason of a change of quota, in characters. */
export const quotaReasonMax = 200;

/**
 * Changes a user. Consoles send the whole row back; what is not named here is not looked at. Who is
 * given a password by somebody else has to choose another one at the next sign-in.
 *
 * Quota: `quota_delta` is added, for a `reason` that its owner sees as well. Else `quota` says what the balance should have been when the
 * caller read it, which `quota_version` or `used_quota` identifies; the difference is added.
 * With neither, the present balance is compared.
 */
export const updateUser = endpoint({
  method: "PUT",
  path: "/api/user/",
  access: "admin",
  stepUp: ({ password }) => password !== undefined,
  input: z.object({
    id,
    username: sentUsername,
    display_name: sentDisplayName,
    password: sentPassword,
    group: sentText(64, "无效的参数：group"),
    role: queryWhole,
    quota: sentWhole(-quotaMax, quotaMax, "额度必须是整数"),
    quota_delta: sentWhole(-quotaMax, quotaMax, "额度必须是整数"),
    quota_version: sentWhole(0, quotaMax, "无效的参数：quota_version"),
    used_quota: sentWhole(0, quotaMax, "无效的参数：used_quota"),
    reason: sentText(quotaReasonMax, `原因最多 ${quotaReasonMax} 个字符`),
  }),
  output: z.void(),
});

/** `id`, or the name, as older consoles send it. */
export const manageUser = endpoint({
  method: "POST",
  path: "/api/user/manage",
  access: "admin",
  stepUp: ({ action }) => action === "promote" || action === "demote",
  input: z.object({
    id: sentWhole(1, quotaMax, "无效的参数"),
    username: sentText(64, "无效的参数"),
    action: z.enum(["promote", "demote", "enable", "disable", "delete"], "无效的参数"),
  }),
  output: z.object({ role, status: userStatus }),
});
export type ManageAction = z.output<(typeof manageUser)["input"]>["action"];

/** Users one batch call names. */
export const userBatchMax = 100;

const batch = { ids: z.array(id).min(1, "参数错误").max(userBatchMax, "参数错误") };

/** For each, in the order asked, whether it was done; `message` says why not. */
const batchResults = z.array(z.object({ id: whole, success: z.boolean(), message: z.string() }));

/** Enables or disables users below the caller. */
export const updateUserStatuses = endpoint({
  method: "POST",
  path: "/api/user/batch/status",
  access: "admin",
  input: z.object({ ...batch, status: userStatus.extract(["enabled", "disabled"], "无效的参数") }),
  output: batchResults,
});

/** Moves users below the caller to a group that exists. */
export const updateUserGroups = endpoint({
  method: "POST",
  path: "/api/user/batch/group",
  access: "admin",
  input: z.object({ ...batch, group: z.string("无效的参数").trim().min(1, "无效的参数").max(64) }),
  output: batchResults,
});

/** Cannot be undone; the name stays taken. */
export const removeUser = endpoint({
  method: "DELETE",
  path: "/api/user/:id",
  access: "admin",
  input: z.object({ id }),
  output: z.void(),
});

export const readSelf = endpoint({
  method: "GET",
  path: "/api/user/self",
  access: "user",
  whilePasswordExpired: () => true,
  input: z.object({}),
  output: user,
});

/** A new password needs the present one beside it, differs from it, and ends every other session. */
export const updateSelf = endpoint({
  method: "PUT",
  path: "/api/user/self",
  access: "user",
  stepUp: ({ password }) => password !== undefined,
  whilePasswordExpired: ({ password }) => password !== undefined,
  renewsSession: true,
  input: z.object({
    username: sentUsername,
    display_name: sentDisplayName,
    password: sentPassword,
    original_password: z.string().max(1_000).nullish(),
  }),
  output: z.void(),
});

/**
 * Cannot be undone; the name stays taken. `username`: what was typed to confirm it, which older
 * consoles compare themselves and do not send.
 */
export const removeSelf = endpoint({
  method: "DELETE",
  path: "/api/user/self",
  access: "user",
  stepUp: () => true,
  input: z.object({ username: z.string().max(200, "无效的参数").optional() }),
  output: z.void(),
});
