/** Where notices about a low balance go: what was saved, and what may be typed. */

import {
  noticeUrlMax,
  type NotifyType,
  notifyType,
  userSetting,
  webhookSecretMax,
} from "contract/notifications.ts";
import { z } from "zod";
import type { T } from "#i18n/t.ts";
import { addressSchema } from "./binding-form.ts";

export type NoticeForm = {
  notify_type: NotifyType;
  /** Quota units; null: nothing typed, NaN: no amount. */
  quota_warning_threshold: number | null;
  notification_email: string;
  webhook_url: string;
  /** Empty: the one there is stays. */
  webhook_secret: string;
  bark_url: string;
};

export type SavedNotices = {
  readonly form: NoticeForm;
  readonly hasWebhookSecret: boolean;
  /** False: the server's own threshold is in force. */
  readonly isSaved: boolean;
};

const nothingSaved: SavedNotices = {
  form: {
    notify_type: "email",
    quota_warning_threshold: null,
    notification_email: "",
    webhook_url: "",
    webhook_secret: "",
    bark_url: "",
  },
  hasWebhookSecret: false,
  isSaved: false,
};

/** @param setting the user's `setting`; what cannot be read is as good as nothing. */
export function readNotices(setting: string): SavedNotices {
  const saved = userSetting.safeParse(parseJson(setting));
  if (!saved.success) return nothingSaved;
  const { has_webhook_secret, ...form } = saved.data;
  return {
    form: { ...form, webhook_secret: "" },
    hasWebhookSecret: has_webhook_secret,
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

/** Only the chosen way is checked; what stands in the others is kept as it is. */
export function noticeSchema(t: T) {
  return z
    .object({
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
    })
    .check((context) => {
      for (const [path, message] of faultsOf(context.value, t)) {
        context.issues.push({ code: "custom", path: [path], message, input: context.value });
      }
    });
}

type Typed = Pick<NoticeForm, "notify_type" | "notification_email" | "webhook_url" | "bark_url">;

function faultsOf(typed: Typed, t: T): [keyof Typed, string][] {
  switch (typed.notify_type) {
    case "email":
      if (typed.notification_email === "") return [];
      return addressSchema(t).safeParse(typed.notification_email).success
        ? []
        : [["notification_email", t("account.emailInvalid")]];
    case "webhook":
      return urlFault("webhook_url", typed.webhook_url, t);
    case "bark":
      return urlFault("bark_url", typed.bark_url, t);
  }
}

function urlFault(name: keyof Typed, address: string, t: T): [keyof Typed, string][] {
  if (address === "") return [[name, t("account.urlMissing")]];
  return /^https?:\/\/\S+$/i.test(address) ? [] : [[name, t("account.urlInvalid")]];
}
