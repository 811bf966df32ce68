/**
 * Earnings from invitations: quota that whoever invited others moves to the own balance. How many
 * came and what was earned stands in the user (`aff_count`, `aff_quota`, `aff_history_quota`).
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { sentWhole } from "./fields.ts";

/** The caller's own invite code. */
export const readAffCode = endpoint({
  method: "GET",
  path: "/api/user/aff",
  access: "user",
  input: z.object({}),
  output: z.string(),
});

/** Moves earnings to the balance, at least what one US dollar is in quota units. */
export const transferEarnings = endpoint({
  method: "POST",
  path: "/api/user/aff_transfer",
  access: "user",
  input: z.object({ quota: sentWhole(1, Number.MAX_SAFE_INTEGER, "划转失败 无效的参数") }),
  output: z.void(),
});
