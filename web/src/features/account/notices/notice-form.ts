/** Which notices go where: what was saved, and what may be typed. */

import {
  noticeEvent,
  type NoticeEvent,
  noticeUrlMax,
  type NotifyType,
  notifyType,
  robotKeyForm,
  robotKeyMax,
  type RobotType,
  userSetting,
  usualEvents,
  webhookSecretMax,
} from "@tollgate/contract/notifications.ts";
import { z } from "zod";
import type { T } from "#i18n/t.ts";
import { addressSchema } from "#features/account/bindings/binding-form.ts";

export type NoticeForm = {
  /** In the order of `noticeEvent`. */
  events: readonly NoticeEvent[];
  notify_type: NotifyType;
  /** Quota units; null: nothing typed, NaN: no amount. */
  quota_warning_threshold: number | null;
  notification_email: string;
  webhook_url: string;
  /** Empty: the one there is stays. */
  webhook_secret: string;
  bark_url: string;
  /** Of the chosen robot; empty: the one there is stays. */
  robot_key: string;
};

export type SavedNotices = {
  readonly form: NoticeForm;
  readonly hasWebhookSecret: boolean;
  /** Whose key is saved; empty: no robot's. */
  readonly robot: RobotType | "";
  /** False: the server's own threshold is in force. */
  readonly isSaved: boolean;
};

const nothingSaved: SavedNotices = {
  form: {
    events: usualEvents,
    notify_type: "email",
    quota_warning_threshold: null,
    notification_email: "",
    webhook_url: "",
    webhook_secret: "",
    bark_url: "",
    robot_key: "",
  },
  hasWebhookSecret: false,
  robot: "",
  isSaved: false,
};

/** @param setting the user's `setting`; what cannot be read is as good as nothing. */
export function readNotices(setting: string): SavedNotices {
  const saved = userSetting.safeParse(parseJson(setting));
  if (!saved.success) return nothingSaved;
  const { has_webhook_secret, has_robot_key: _, robot_type, ...form } = saved.data;
  return {
    form: { ...form, webhook_secret: "", robot_key: "" },
    hasWebhookSecret: has_webhook_secret,
    robot: robot_type,
    isSaved: true,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** With or without one, in their order. */
export function withEvent(
  events: readonly NoticeEvent[],
  event: NoticeEvent,
  isChosen: boolean,
): NoticeEvent[] {
  return noticeEvent.options.filter((each) => (each === event ? isChosen : events.includes(each)));
}

/**
 * Only the chosen way is checked; what stands in the others is kept as it is.
 *
 * @param robot whose key is saved.
 */
export function noticeSchema(t: T, robot: SavedNotices["robot"]) {
  return z
    .object({
      events: z.array(noticeEvent),
      notify_type: notifyType,
      quota_warning_threshold: z
        .custom<number | null>()
        .refine((quota) => quota !== null && quota > 0, t("account.thresholdMissing"))
        .transform((quota) => quota ?? 0),
      notification_email: z.string().trim(),
      webhook_url: z.string().trim().max(noticeUrlMax, t("account.urlInvalid")),
      webhook_secret: z
        .string()
        .max(webhookSecretMax, t("account.secretTooLong", { max: webhookSecretMax })),
      bark_url: z.string().trim().max(noticeUrlMax, t("account.urlInvalid")),
      robot_key: z.string().trim(),
    })
    .check((context) => {
      for (const [path, message] of faultsOf(context.value, robot, t)) {
        context.issues.push({ code: "custom", path: [path], message, input: context.value });
      }
    });
}

type Typed = Pick<
  NoticeForm,
  "bark_url" | "notification_email" | "notify_type" | "robot_key" | "webhook_url"
>;

function faultsOf(typed: Typed, robot: SavedNotices["robot"], t: T): [keyof Typed, string][] {
  const way = typed.notify_type;
  switch (way) {
    case "email":
      if (typed.notification_email === "") return [];
      return addressSchema(t).safeParse(typed.notification_email).success
        ? []
        : [["notification_email", t("account.emailInvalid")]];
    case "webhook":
      return urlFault("webhook_url", typed.webhook_url, t);
    case "bark":
      return urlFault("bark_url", typed.bark_url, t);
    case "dingtalk":
    case "wecom":
      return keyFault(typed.robot_key, robot === way, t);
  }
}

function urlFault(name: keyof Typed, address: string, t: T): [keyof Typed, string][] {
  if (address === "") return [[name, t("account.urlMissing")]];
  return /^https?:\/\/\S+$/i.test(address) ? [] : [[name, t("account.urlInvalid")]];
}

function keyFault(key: string, isSaved: boolean, t: T): [keyof Typed, string][] {
  if (key === "") return isSaved ? [] : [["robot_key", t("account.robotKeyMissing")]];
  if (!robotKeyForm.test(key)) return [["robot_key", t("account.robotKeyInvalid")]];
  return key.length <= robotKeyMax
    ? []
    : [["robot_key", t("account.secretTooLong", { max: robotKeyMax })]];
}
