/**
 * Earnings from invitations: quota that a user earned by inviting others and can move to the
 * balance. The figures are in the user's row (`aff_count`, `aff_quota`, `aff_history_quota`).
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { sentWhole } from "@tollgate/contract/fields/fields.ts";

/** Reads the caller's own invite code. */
export const readAffCode = endpoint({
  method: "GET",
  path: "/api/user/aff",
  access: "user",
  input: z.object({}),
  output: z.string(),
});

/** Moves earnings to the balance. At least the quota of one US dollar has to be moved. */
export const transferEarnings = endpoint({
  method: "POST",
  path: "/api/user/aff_transfer",
  access: "user",
  input: z.object({ quota: sentWhole(1, Number.MAX_SAFE_INTEGER, "划转失败 无效的参数") }),
  output: z.void(),
});
