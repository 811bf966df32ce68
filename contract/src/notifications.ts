/** What users are told, and where. */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { sentText, sentWhole } from "./fields.ts";

/** The balance runs low, prices were changed, the notice to everybody was. */
export const noticeEvent = z.enum(["quota_low", "price_change", "announcement"]);
export type NoticeEvent = z.infer<typeof noticeEvent>;

/** What users are told who chose nothing. */
export const usualEvents: readonly NoticeEvent[] = ["quota_low"];

/** By mail, by a JSON post to an address, by the Bark app, or by the robot of a group chat. */
export const notifyType = z.enum(["email", "webhook", "bark", "dingtalk", "wecom"]);
export type NotifyType = z.infer<typeof notifyType>;

/** The ways that are robots of a group chat: DingTalk's and WeCom's. */
export const robotType = notifyType.extract(["dingtalk", "wecom"]);
export type RobotType = z.infer<typeof robotType>;

/** Longest address a notice is posted to, in characters. */
export const noticeUrlMax = 1_000;
export const webhookSecretMax = 200;
export const robotKeyMax = 128;

/** A robot's key stands in an address, where it can add nothing. */
export const robotKeyForm = /^[A-Za-z0-9_-]+$/;

/**
 * What the user's `setting` holds as JSON text; `""` while nothing was saved. Quota is whole quota
 * units. Secret and key are never answered.
 */
export const userSetting = z.object({
  notify_type: notifyType,
  /** In the order of `noticeEvent`. */
  events: z.array(noticeEvent),
  /** A balance that falls below it is told. */
  quota_warning_threshold: z.number().int(),
  /** Empty: the account's own address. */
  notification_email: z.string(),
  webhook_url: z.string(),
  /** Whether posts are signed. */
  has_webhook_secret: z.boolean(),
  /** May hold `{{title}}` and `{{content}}`. */
  bark_url: z.string(),
  /** Whether the key of a robot is saved. */
  has_robot_key: z.boolean(),
  /** Which robot's key that is; empty: none is saved. */
  robot_type: z.union([robotType, z.literal("")]),
});
export type UserSetting = z.infer<typeof userSetting>;

const emailRule = "无效的邮箱地址";
const eventRule = "无效的通知事件";
const robotKeyRule = "机器人密钥只能包含字母、数字、- 和 _";

/**
 * Saves all of the caller's settings. An absent secret or key is kept, and so are absent events: a
 * console that does not know them changes nothing. The family's `accept_unset_model_ratio_model` is
 * not looked at: a model without a price is always refused.
 */
export const updateSetting = endpoint({
  method: "PUT",
  path: "/api/user/setting",
  access: "user",
  input: z.object({
    notify_type: z.enum(notifyType.enum, "无效的预警类型"),
    events: z
      .array(z.enum(noticeEvent.enum, eventRule), eventRule)
      .max(noticeEvent.options.length, eventRule)
      .optional(),
    quota_warning_threshold: sentWhole(1, Number.MAX_SAFE_INTEGER, "预警阈值必须大于0"),
    notification_email: sentText(254, emailRule),
    webhook_url: sentText(noticeUrlMax, "无效的Webhook地址"),
    webhook_secret: sentText(webhookSecretMax, `Webhook密钥最多 ${webhookSecretMax} 个字符`),
    bark_url: sentText(noticeUrlMax, "无效的Bark推送地址"),
    robot_key: sentText(robotKeyMax, `机器人密钥最多 ${robotKeyMax} 个字符`).refine(
      (key) => key === undefined || key === "" || robotKeyForm.test(key),
      robotKeyRule,
    ),
  }),
  output: z.void(),
});

/** Sends the caller a notice by the saved way; a refusal says why it did not arrive. */
export const testSetting = endpoint({
  method: "POST",
  path: "/api/user/setting/test",
  access: "user",
  input: z.object({}),
  output: z.void(),
});
