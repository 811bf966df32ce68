/**
 * Users: people's accounts. A user's quota is money: a change adds to it or takes from it and never
 * overwrites it, so that what is spent meanwhile is not lost.
 *
 * Fields are spelled as in one-api's console API. Times are Unix seconds, quota is whole quota
 * units.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { characterCount, isPlain, isVisible, sentText } from "@tollgate/contract/fields/fields.ts";
import { keptLanguage } from "@tollgate/contract/words/languages.ts";

/**
 * What a user may do, as the numbers of one-api's console API. A role may do whatever a lower one
 * may.
 */
export const role = z.enum({ user: 1, admin: 10, root: 100 });
export type Role = z.infer<typeof role>;

/**
 * Whether a user may sign in, as the numbers of one-api's console API. A `barred` user cannot be
 * enabled again.
 */
export const userStatus = z.enum({ enabled: 1, disabled: 2, barred: 3 });
export type UserStatus = z.infer<typeof userStatus>;

export const usernameMax = 12;
export const displayNameMax = 20;
export const passwordMin = 8;
export const passwordMax = 128;

const whole = z.number().int();

/** A user's account as that user sees it. No answer has a password or an access token. */
export const user = z.object({
  id: whole,
  username: z.string(),
  display_name: z.string(),
  /** Language of the e-mails and notices to the user. */
  language: keptLanguage,
  role,
  status: userStatus,
  email: z.string(),
  github_id: z.string(),
  oidc_id: z.string(),
  wechat_id: z.string(),
  telegram_id: z.string(),
  linux_do_id: z.string(),
  group: z.string(),
  /** The quota that the user may still spend, including the unspent holds of running calls. */
  quota: whole,
  /**
   * What the user owes, because money went back whose quota was spent. Above 0, calls are refused.
   */
  debt: whole,
  used_quota: whole,
  request_count: whole,
  /**
   * Identifies the state of the balance that `quota` shows. A console that sends the row back with
   * another quota also sends this, so that the server knows which balance the console had read.
   */
  quota_version: whole,
  aff_code: z.string(),
  aff_count: whole,
  aff_quota: whole,
  aff_history_quota: whole,
  /** The user who invited this one; 0: nobody. */
  inviter_id: whole,
  /**
   * JSON text of `userSetting` in `notifications.ts`; `""`: nothing is set, or the caller is
   * another user.
   */
  setting: z.string(),
  /** When the user was deleted, in RFC 3339; null: not deleted. */
  DeletedAt: z.string().nullable(),
});
export type User = z.infer<typeof user>;

/**
 * A user's account as admins see it, with the consumption of the last 1, 7 and 30 days and its
 * share of the total.
 */
export const adminUser = user.extend({
  one_day: whole,
  one_week: whole,
  one_month: whole,
  one_day_ratio: z.number(),
  one_week_ratio: z.number(),
  one_month_ratio: z.number(),
  /** Time of the user's last call; 0: never called. */
  last_use_time: whole,
  create_time: whole,
});
export type AdminUser = z.infer<typeof adminUser>;

/** The answer to a sign-in, which consoles store. */
export const shortUser = user
  .pick({ id: true, username: true, display_name: true, role: true, status: true, group: true })
  .extend({
    /**
     * The user has to choose another password. Until then, only the calls needed for that are
     * answered; see `updateSelf`.
     */
    password_expired: z.literal(true).optional(),
    /** The session may look at everything and change nothing; see `startDemoTour`. */
    only_reads: z.literal(true).optional(),
  });
export type ShortUser = z.infer<typeof shortUser>;

const passwordRule = `输入不合法 密码长度必须在 ${passwordMin}-${passwordMax} 之间`;

/** A password as consoles send it. Empty and absent: no change. Spaces are part of a password. */
export const sentPassword = z
  .union([z.string(), z.null()], passwordRule)
  .optional()
  .transform((sent) => (sent === null || sent === "" ? undefined : sent))
  .refine((sent) => sent === undefined || isPassword(sent), passwordRule);

export function isPassword(text: string): boolean {
  const length = characterCount(text.normalize("NFC"));
  return length >= passwordMin && length <= passwordMax;
}

/** Why a name cannot be a username. */
export type UsernameFault = "at-sign" | "invisible" | "markup" | "too-long";

/**
 * Checks a name that is given to a new account or replaces another one. Names that accounts already
 * have are not checked, because accounts may come from another database.
 */
export function usernameFault(name: string): UsernameFault | null {
  if (characterCount(name) > usernameMax || !isPlain(name)) return "too-long";
  if (!isVisible(name)) return "invisible";
  // Programs that show or store by names could take such a one for a path, or for HTML.
  if (/[<>/\\]|^\.+$/.test(name.normalize("NFKC"))) return "markup";
  // Sign-in would take a name with an `@` for an e-mail address and look for that address's owner
  // first.
  return name.includes("@") ? "at-sign" : null;
}

export const usernameRules: Readonly<Record<UsernameFault, string>> = {
  "at-sign": "输入不合法 用户名不能含有 @",
  invisible: "输入不合法 用户名不能含有不可见字符",
  markup: "输入不合法 用户名不能含有 < > / 和反斜杠，也不能只有点",
  "too-long": `输入不合法 用户名最多 ${usernameMax} 个字符`,
};

/** The longest name that an edit accepts, in characters: older accounts may have long names. */
const keptUsernameMax = 200;

/** The username in an edit: the current name is always accepted. Empty and absent: no change. */
export const sentUsername = sentText(keptUsernameMax, usernameRules["too-long"]);

/** The username of a new account. */
export const newUsername = sentUsername.superRefine((name, context) => {
  const fault = name === undefined ? null : usernameFault(name);
  if (fault !== null) context.addIssue({ code: "custom", message: usernameRules[fault] });
});
export const sentDisplayName = sentText(
  displayNameMax,
  `输入不合法 显示名最多 ${displayNameMax} 个字符`,
);

export const readSelf = endpoint({
  method: "GET",
  path: "/api/user/self",
  access: "user",
  whilePasswordExpired: () => true,
  input: z.object({}),
  output: user,
});

/**
 * Changes the caller's own account. A new password requires the current one, has to differ from it,
 * and ends every other session. In a session that was opened with a password given by an e-mail or
 * an administrator, the current password is not required.
 */
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
    /** Language of e-mails and notices. Absent, empty or unknown: no change. */
    language: keptLanguage.optional().catch(undefined),
  }),
  output: z.void(),
});

/**
 * Deletes the caller's own account, which cannot be undone; the name stays taken. `username` is
 * what the user typed to confirm it, in the query or in a JSON body; older consoles compare it
 * themselves and do not send it. An `id` is not needed, and refused if it is another user's.
 */
export const removeSelf = endpoint({
  method: "DELETE",
  path: "/api/user/self",
  access: "user",
  stepUp: () => true,
  input: z.object({
    username: z.string("无效的参数").max(200, "无效的参数").optional(),
    id: z.coerce.number("无效的参数").int("无效的参数").optional(),
  }),
  inBody: ["username", "id"],
  output: z.void(),
});
