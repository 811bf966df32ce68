/** Notifications: which events users are notified of, and how. */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { sentWhole } from "@tollgate/contract/fields/fields.ts";
import { notifyType, sentSettings, shownSettings } from "@tollgate/contract/kinds/notice-ways.ts";

/**
 * The events that can notify a user: a low balance, changed prices, a changed announcement, a
 * promotion, and a regular message about the own account.
 */
export const noticeEvent = z.enum([
  "quota_low",
  "price_change",
  "announcement",
  "promotion",
  "periodic_contact",
]);
export type NoticeEvent = z.infer<typeof noticeEvent>;

/** The events that notify users who have not chosen any. */
export const usualEvents: readonly NoticeEvent[] = ["quota_low"];

/**
 * What the user's `setting` holds as JSON text; `""` while nothing was saved. Quota is whole quota
 * units. The settings of all notification ways are fields of the same object, see `notice-ways.ts`.
 */
export const userSetting = z.object({
  notify_type: notifyType,
  /** The events the user is notified of, in the order of `noticeEvent`. */
  events: z.array(noticeEvent),
  /** The user is notified when the balance falls below this many quota units. */
  quota_warning_threshold: z.number().int(),
  ...shownSettings,
});
export type UserSetting = z.infer<typeof userSetting>;

const eventRule = "无效的通知事件";

/**
 * Saves all of the caller's settings. An absent secret is kept, and so are absent events: a console
 * that does not know them changes nothing. The field `accept_unset_model_ratio_model`, which
 * one-api consoles send, is ignored: a model without a price is always refused.
 */
export const updateSetting = endpoint({
  method: "PUT",
  path: "/api/user/setting",
  access: "user",
  input: z.object({
    notify_type: notifyType,
    events: z
      .array(z.enum(noticeEvent.enum, eventRule), eventRule)
      .max(noticeEvent.options.length, eventRule)
      .optional(),
    quota_warning_threshold: sentWhole(1, Number.MAX_SAFE_INTEGER, "预警阈值必须大于0"),
    ...sentSettings,
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
