/**
 * What admins may read and change of users. It is in a file of its own, because every browser loads
 * `users.ts` before a sign-in.
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
import {
  adminUser,
  newUsername,
  role,
  sentDisplayName,
  sentPassword,
  sentUsername,
  userStatus,
} from "./users.ts";

const whole = z.number().int();

const quotaMax = Number.MAX_SAFE_INTEGER;

/** Lists users, newest first; deleted users come last. */
export const listUsers = endpoint({
  method: "GET",
  path: "/api/user/",
  access: "admin",
  input: z.object(pageInput),
  output: page(adminUser),
});

const filter = { keyword: queryText, group: queryText };

/**
 * Searches users: those whose name, e-mail or display name contains `keyword`, or whose id is
 * `keyword`; only those in `group` if it is given.
 */
export const searchUsers = endpoint({
  method: "GET",
  path: "/api/user/search",
  access: "admin",
  input: z.object({ ...pageInput, ...filter }),
  output: page(adminUser),
});

/** The largest number of rows that `queryUsers` answers with if the caller asks for no page. */
export const queryUsersMax = 1_000;

/**
 * Searches users. Without `p` and `page_size` the answer is a plain array. `total` counts all
 * matches.
 */
export const queryUsers = endpoint({
  method: "GET",
  path: "/api/user/query",
  access: "admin",
  input: z.object({ ...pageInput, ...filter }),
  output: z.union([z.array(adminUser), page(adminUser)]),
  extras: z.object({ total: whole }),
});

/** Reads one user. Admins may read themselves and users below them, root all users. */
export const readUser = endpoint({
  method: "GET",
  path: "/api/user/:id",
  access: "admin",
  input: z.object({ id }),
  output: adminUser,
});

/**
 * Creates an ordinary user. A `role` that is sent is not stored, but refused if the caller may not
 * give it.
 */
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

/** The longest reason for a change of quota, in characters. */
export const quotaReasonMax = 200;

/**
 * Changes a user. Consoles send the whole row back; fields that are not listed here are ignored. A
 * user whose password somebody else sets must choose another one at the next sign-in.
 *
 * The balance changes in one of three ways. `quota_delta` is added, with a `reason` that the user
 * sees. Otherwise `quota` is the balance that the caller wants instead of the one it had read,
 * which `quota_version` or `used_quota` identifies; the difference is added. With neither of these,
 * `quota` is compared with the current balance.
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

/** Waives what a user owes. */
export const waiveDebt = endpoint({
  method: "POST",
  path: "/api/user/:id/debt/waive",
  access: "root",
  stepUp: () => true,
  input: z.object({
    id,
    reason: z
      .string()
      .trim()
      .min(1, "请填写原因")
      .max(quotaReasonMax, `原因最多 ${quotaReasonMax} 个字符`),
  }),
  output: z.void(),
});

/**
 * Promotes, demotes, enables, disables or deletes a user, given by `id` or, as older consoles do,
 * by username.
 */
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

/** The largest number of users of one batch call. */
export const userBatchMax = 100;

const batch = { ids: z.array(id).min(1, "参数错误").max(userBatchMax, "参数错误") };

/**
 * For each user, in the order of the request, whether the change was made; `message` says why not.
 */
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

/** Deletes a user, which cannot be undone; the name stays taken. */
export const removeUser = endpoint({
  method: "DELETE",
  path: "/api/user/:id",
  access: "admin",
  input: z.object({ id }),
  output: z.void(),
});
