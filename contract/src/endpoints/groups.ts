/**
 * Groups: users who share prices and channels. A group exists if the price list has a ratio for it
 * (`GroupRatio`). Every user may use the groups of option `UserUsableGroups` and the user's own
 * group.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";

/** The longest name of a group, in characters. */
export const groupNameMax = 64;

const groupRule = `分组名称长度必须在 1-${groupNameMax} 之间，且不含逗号`;

/** A channel stores its groups as one comma-separated text, so a name has no comma. */
export const groupName = z
  .string()
  .trim()
  .min(1, groupRule)
  .max(groupNameMax, groupRule)
  .regex(/^[^,\p{Cc}]+$/u, groupRule);

/**
 * `desc` and `description` are the same text, because some consoles read the one and some the
 * other.
 */
export const groupInfo = z.object({
  ratio: z.number(),
  desc: z.string(),
  description: z.string(),
});

const groupMap = z.record(z.string(), groupInfo);

/** Lists the names of all groups, sorted. */
export const listGroups = endpoint({
  method: "GET",
  path: "/api/group/",
  access: "admin",
  input: z.object({}),
  output: z.array(z.string()),
});

/** Returns the groups that the caller may use, keyed by name. */
export const listOwnGroups = endpoint({
  method: "GET",
  path: "/api/user/self/groups",
  access: "user",
  input: z.object({}),
  output: groupMap,
});

/** Returns the groups that a visitor would have as a user of the group `default`. */
export const listUsableGroups = endpoint({
  method: "GET",
  path: "/api/user/groups",
  access: "public",
  input: z.object({}),
  output: groupMap,
});
