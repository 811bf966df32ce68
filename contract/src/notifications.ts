/** Where a user is told that the balance runs low, and from when on. */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { sentText, sentWhole } from "./fields.ts";

/** By mail, by a JSON post to an address, or by the Bark app. */
export const notifyType = z.enum(["email", "webhook", "bark"]);
export type NotifyType = z.infer<typeof notifyType>;

/** Longest address a notice is posted to, in characters. */
export const noticeUrlMax = 1_000;
export const webhookSecretMax = 200;

/**
 * What the user's `setting` holds as JSON text; `""` while nothing was saved. Quota is whole quota
 * units. The secret is never answered.
 */
export const userSetting = z.object({
  notify_type: notifyType,
  /** A balance that falls below it is told. */
  quota_warning_threshold: z.number().int(),
  /** Empty: the account's own address. */
  notification_email: z.string(),
  webhook_url: z.string(),
  /** Whether posts are signed. */
  has_webhook_secret: z.boolean(),
  /** May hold `{{title}}` and `{{content}}`. */
  bark_url: z.string(),
});
export type UserSetting = z.infer<typeof userSetting>;

const emailRule = "无效的邮箱地址";

/**
 * Saves all of the caller's settings; an absent secret is kept. The family's
 * `accept_unset_model_ratio_model` is not looked at: a model without a price is always refused.
 */
export const updateSetting = endpoint({
  method: "PUT",
  path: "/api/user/setting",
  access: "user",
  input: z.object({
    notify_type: z.enum(notifyType.enum, "无效的预警类型"),
    quota_warning_threshold: sentWhole(1, Number.MAX_SAFE_INTEGER, "预警阈值必须大于0"),
    notification_email: sentText(254, emailRule),
    webhook_url: sentText(noticeUrlMax, "无效的Webhook地址"),
    webhook_secret: sentText(webhookSecretMax, `Webhook密钥最多 ${webhookSecretMax} 个字符`),
    bark_url: sentText(noticeUrlMax, "无效的Bark推送地址"),
  }),
  output: z.void(),
});
