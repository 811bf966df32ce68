/** Which notices go where: what was saved, and what may be typed. */

import {
  noticeFields,
  type NotifyType,
  notifyType,
  usualWay,
} from "@tollgate/contract/notice-ways.ts";
import {
  noticeEvent,
  type NoticeEvent,
  userSetting,
  usualEvents,
} from "@tollgate/contract/notifications.ts";
import { z } from "zod";
import { helpKey, wayFieldKey } from "#i18n/kind-keys.ts";
import { type T, textOrNull } from "#i18n/t.ts";
import { faultsOf, type FormField, sentValue } from "#widgets/kind-form/kind-fields.ts";
import { showMessage } from "#widgets/server/server-message.ts";

/** The fields of the ways stand beside these, as texts, under their names in the API. */
export type NoticeForm = {
  /** In the order of `noticeEvent`. */
  events: readonly NoticeEvent[];
  notify_type: NotifyType;
  /** Quota units; null: nothing typed, NaN: no amount. */
  quota_warning_threshold: number | null;
};

export type SavedNotices = {
  readonly form: NoticeForm;
  /** The settings of the ways as they were answered, by their names in the API. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** False: the server's own threshold is in force. */
  readonly isSaved: boolean;
};

const nothingSaved = {
  events: usualEvents,
  notify_type: usualWay,
  quota_warning_threshold: null,
} satisfies NoticeForm;

/** @param setting the user's `setting`; what cannot be read is as good as nothing. */
export function readNotices(setting: string): SavedNotices {
  const saved = userSetting.safeParse(parseJson(setting));
  const { events, notify_type, quota_warning_threshold, ...settings } = saved.success
    ? saved.data
    : nothingSaved;
  const texts = noticeFields.map(({ sentAs, field }): [string, string] => [
    sentAs,
    textOf(settings, sentAs) || (field.secret ? "" : String(field.defaultValue)),
  ]);
  return {
    form: { events, notify_type, quota_warning_threshold, ...Object.fromEntries(texts) },
    settings,
    isSaved: saved.success,
  };
}

function textOf(settings: SavedNotices["settings"], name: string): string {
  const value = settings[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
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

/** The way of those who choose none comes first. */
export const orderedWays: readonly NotifyType[] = [
  usualWay,
  ...notifyType.options.filter((way) => way !== usualWay),
];

/** @param system what this server calls itself, which some help texts name. */
export function fieldsOfForm(
  way: NotifyType,
  settings: SavedNotices["settings"],
  t: T,
  system = "",
): FormField[] {
  // Placeholders of addresses look like those of texts, and are filled in with themselves.
  const values = { system, title: "{{title}}", content: "{{content}}" };
  return noticeFields
    .filter((each) => each.way === way)
    .map(({ name, sentAs, field }) => {
      const key = wayFieldKey(way, name);
      const { ownerSentAs } = field;
      const isOwn = ownerSentAs === undefined || settings[ownerSentAs] === way;
      return {
        name: sentAs,
        field,
        label: t(key),
        help: textOrNull(helpKey(key), t, values),
        isSet: isOwn && settings[`has_${sentAs}`] === true,
      };
    });
}

/**
 * Only the fields of the chosen way are checked. Those of the others are sent as they were typed,
 * or as they were saved where that is no value of theirs.
 */
export function noticeSchema(t: T, settings: SavedNotices["settings"]) {
  return z
    .looseObject({
      events: z.array(noticeEvent),
      notify_type: notifyType,
      quota_warning_threshold: z
        .custom<number | null>()
        .refine((quota) => quota !== null && quota > 0, t("account.thresholdMissing"))
        .transform((quota) => quota ?? 0),
    })
    .check(({ value, issues }) => {
      for (const [path, message] of faultsOf(fieldsOfForm(value.notify_type, settings, t), value)) {
        issues.push({
          code: "custom",
          path: [path],
          message: showMessage(message, t),
          input: value,
        });
      }
    })
    .transform(({ events, notify_type, quota_warning_threshold, ...typed }) => ({
      events,
      notify_type,
      quota_warning_threshold,
      ...Object.fromEntries(
        notifyType.options
          .flatMap((way) => fieldsOfForm(way, settings, t))
          .map((each) => [each.name, sentValue(each, typed, textOf(settings, each.name))]),
      ),
    }));
}
