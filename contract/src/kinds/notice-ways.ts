/**
 * Notification ways, and the names of their settings in the API. The API has the fields of all ways
 * in one object, named `<way>_<field>` or by the field's `sentAs`.
 */

import { z } from "zod";
import type { Field, Kind } from "./kinds.ts";
import { bark } from "./bark.ts";
import { dingtalk } from "./dingtalk.ts";
import { email } from "./email.ts";
import { gotify } from "./gotify.ts";
import { webhook } from "./webhook.ts";
import { wecom } from "./wecom.ts";
import { wxpusher } from "./wxpusher.ts";

type NoticeField = Field & {
  /** The name in the API if it is not `<way>_<field>`. */
  readonly sentAs?: string;
  /**
   * Only present where several ways share `sentAs`: the API's name for the field that tells to
   * which of these ways the value belongs.
   */
  readonly ownerSentAs?: string;
};

export type NoticeWay = Kind<Readonly<Record<string, NoticeField>>>;

/** All notification ways, sorted. */
export const noticeWays = {
  bark,
  dingtalk,
  email,
  gotify,
  webhook,
  wecom,
  wxpusher,
} as const satisfies Record<string, NoticeWay>;

export type NotifyType = keyof typeof noticeWays;

/** The notification way of users who have not chosen one. */
export const usualWay: NotifyType = email.id;

export const notifyType = z.enum(
  // Safe cast: the keys of `noticeWays` are the names of the ways.
  Object.keys(noticeWays) as NotifyType[],
  "无效的预警类型",
);

type NamedField = {
  readonly way: NotifyType;
  readonly name: string;
  readonly sentAs: string;
  readonly field: NoticeField;
};

/** Every field of every notification way, with its name in the API. */
export const noticeFields: readonly NamedField[] = notifyType.options.flatMap((way) =>
  Object.entries<NoticeField>(noticeWays[way].fields).map(([name, field]) => ({
    way,
    name,
    sentAs: field.sentAs ?? `${way}_${name}`,
    field,
  })),
);

/** Returns the fields of one notification way, with their names in the API. */
export function fieldsOfWay(way: NotifyType): NamedField[] {
  return noticeFields.filter((each) => each.way === way);
}

const sentText = z
  .union([z.string(), z.number(), z.boolean(), z.null()], "无效的参数")
  .optional()
  .transform((sent) => String(sent ?? "").trim() || undefined);

/** Settings by notification way and field. Absent ones have their defaults. */
type WaySettings = Readonly<Record<string, unknown>>;
export type NoticeSettings = Partial<Readonly<Record<NotifyType, WaySettings>>>;

/**
 * Schemas of the settings that a caller may send, as text; absent and empty ones are undefined. The
 * values are not validated here: pages send the fields of all ways, and only those of the chosen
 * way have to be valid.
 */
export const sentSettings: Readonly<Record<string, z.ZodType<string | undefined>>> =
  Object.fromEntries(noticeFields.map(({ sentAs }) => [sentAs, sentText]));

/**
 * Schemas of the settings that the API returns. Of a secret it only says whether it is set. A
 * server that does not know a way leaves its fields out, which then read as their defaults.
 */
export const shownSettings: Readonly<Record<string, z.ZodType<unknown>>> = Object.fromEntries(
  noticeFields.flatMap(({ sentAs, field }): [string, z.ZodType<unknown>][] => {
    if (!field.secret) return [[sentAs, field.schema.catch(field.defaultValue)]];
    const { ownerSentAs } = field;
    const owner = z.union([notifyType, z.literal("")]).catch("");
    return [
      [`has_${sentAs}`, z.boolean().catch(false)],
      ...(ownerSentAs === undefined ? [] : [[ownerSentAs, owner] satisfies [string, z.ZodType]]),
    ];
  }),
);

/** Converts saved settings to the form that the API returns. */
export function showSettings(settings: NoticeSettings): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const { way, name, sentAs, field } of noticeFields) {
    const value = settings[way]?.[name] ?? field.defaultValue;
    if (!field.secret) {
      shown[sentAs] = value;
      continue;
    }
    const isSet = value !== "";
    // A setting that several notification ways share in the API counts as set when one of them has
    // a value.
    shown[`has_${sentAs}`] = shown[`has_${sentAs}`] === true || isSet;
    const { ownerSentAs } = field;
    if (ownerSentAs !== undefined) shown[ownerSentAs] = isSet ? way : (shown[ownerSentAs] ?? "");
  }
  return shown;
}
