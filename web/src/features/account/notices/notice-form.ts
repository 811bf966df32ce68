/** The form of the notice settings: fills it with the saved settings and validates it. */

import {
  noticeFields,
  type NotifyType,
  notifyType,
  usualWay,
} from "@tollgate/contract/kinds/notice-ways.ts";
import {
  noticeEvent,
  type NoticeEvent,
  userSetting,
  usualEvents,
} from "@tollgate/contract/endpoints/notifications.ts";
import { z } from "zod";
import { helpKey, wayFieldKey } from "#i18n/kind-keys.ts";
import { type T, textOrNull } from "#i18n/t.ts";
import { faultsOf, type FormField, sentValue } from "#widgets/kind-form/kind-fields.ts";
import { showMessage } from "#widgets/server/server-message.ts";

/**
 * The values of the form. Besides these it holds the fields of all notice methods, as texts under
 * their API names.
 */
export type NoticeForm = {
  /** The chosen events, in the order of the contract's `noticeEvent`. */
  events: readonly NoticeEvent[];
  notify_type: NotifyType;
  /** Quota units; null: the field is empty, NaN: the text is not an amount. */
  quota_warning_threshold: number | null;
};

export type SavedNotices = {
  readonly form: NoticeForm;
  /** The saved settings of all notice methods, as the server answered them. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Whether the user has saved settings; if not, the server's default threshold applies. */
  readonly isSaved: boolean;
};

/** The threshold that the form proposes to users who have saved none: $1, in quota units. */
const proposedThreshold = 500_000;

const nothingSaved = {
  events: usualEvents,
  notify_type: usualWay,
  // Every save needs one, also a save of another event.
  quota_warning_threshold: proposedThreshold,
} satisfies NoticeForm;

/**
 * Reads the saved settings.
 *
 * @param setting the user's `setting`, a JSON text; invalid text counts as no settings.
 */
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

/** Adds or removes an event; the result is in the order of `noticeEvent`. */
export function withEvent(
  events: readonly NoticeEvent[],
  event: NoticeEvent,
  isChosen: boolean,
): NoticeEvent[] {
  return noticeEvent.options.filter((each) => (each === event ? isChosen : events.includes(each)));
}

/** The methods in the order shown: first the default one, which users have who never chose one. */
export const orderedWays: readonly NotifyType[] = [
  usualWay,
  ...notifyType.options.filter((way) => way !== usualWay),
];

/**
 * Returns the form fields of a notice method, with their labels and help texts.
 * @param system the name of this server, which some help texts contain.
 */
export function fieldsOfForm(
  way: NotifyType,
  settings: SavedNotices["settings"],
  t: T,
  system = "",
): FormField[] {
  // Some help texts contain {{title}} and {{content}} literally. The translator would replace them,
  // so each gets itself as its value.
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
 * Makes the schema of the form. Only the fields of the chosen method must be valid. Those of other
 * methods are sent as typed if they are valid, and otherwise as they were saved.
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
