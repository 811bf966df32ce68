/** The form of notice settings: reads the saved ones, and checks what is typed. */

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

/** The form also holds the fields of the methods, as texts, under their names in the API. */
export type NoticeForm = {
  /** In the order of `noticeEvent`. */
  events: readonly NoticeEvent[];
  notify_type: NotifyType;
  /** Quota units; null: nothing typed, NaN: no amount. */
  quota_warning_threshold: number | null;
};

export type SavedNotices = {
  readonly form: NoticeForm;
  /** The settings of the methods as the server answered them, by their names in the API. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** False: the server's own threshold applies. */
  readonly isSaved: boolean;
};

const nothingSaved = {
  events: usualEvents,
  notify_type: usualWay,
  quota_warning_threshold: null,
} satisfies NoticeForm;

/** @param setting the user's `setting`; an unreadable one counts as empty. */
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

/** Adds or removes an event, and keeps the events in their order. */
export function withEvent(
  events: readonly NoticeEvent[],
  event: NoticeEvent,
  isChosen: boolean,
): NoticeEvent[] {
  return noticeEvent.options.filter((each) => (each === event ? isChosen : events.includes(each)));
}

/** Users who choose no method get the first one. */
export const orderedWays: readonly NotifyType[] = [
  usualWay,
  ...notifyType.options.filter((way) => way !== usualWay),
];

/** @param system the name of this server, which some help texts contain. */
export function fieldsOfForm(
  way: NotifyType,
  settings: SavedNotices["settings"],
  t: T,
  system = "",
): FormField[] {
  // The translator would replace {{title}} and {{content}}, which are placeholders of addresses
  // here.
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
 * Checks only the fields of the chosen method. Those of the others are sent as typed if they are
 * valid, and else as saved.
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
