/**
 * Keys that follow from a name in the contract, so that a new option or kind needs no list of keys
 * here: `settings.RetryTimes`, `account.ways.bark.url`, each with `Help` at its end for the help
 * text. That a label stands in the catalogues is checked by its type, that both languages have it
 * by `catalogues.test.ts`. A help text may be missing.
 */

import type { FieldUnit } from "@tollgate/contract/kinds.ts";
import {
  noticeFields,
  type noticeWays,
  type NotifyType,
  notifyType,
} from "@tollgate/contract/notice-ways.ts";

type WayField<Way extends NotifyType> = keyof (typeof noticeWays)[Way]["fields"] & string;

type WayKeys = {
  readonly [Way in NotifyType]: {
    readonly name: `account.ways.${Way}.name`;
    readonly field: `account.ways.${Way}.${WayField<Way>}`;
  };
}[NotifyType];

/** Name of a notification way. */
export function wayKey(way: NotifyType): WayKeys["name"] {
  return `account.ways.${way}.name`;
}

/** Label of a field of a notification way. */
export function wayFieldKey(way: NotifyType, field: string): WayKeys["field"] {
  // The callers take both from the same entry of `noticeFields`.
  return `account.ways.${way}.${field}` as WayKeys["field"];
}

/** The help text of what has this label. */
export function helpKey(label: string): string {
  return `${label}Help`;
}

/** Units that have a name; an amount of quota is shown in dollars instead. */
export function unitKey(unit: NamedUnit): `widgets.unit.${NamedUnit}` {
  return `widgets.unit.${unit}`;
}

type NamedUnit = Exclude<FieldUnit, "quota">;

const units: Readonly<Record<NamedUnit, true>> = {
  bytes: true,
  days: true,
  dollars: true,
  megabytes: true,
  minutes: true,
  seconds: true,
  yuan: true,
};

/** Every label there has to be by these rules. */
export const labelKeys: readonly string[] = [
  ...notifyType.options.map(wayKey),
  ...noticeFields.map(({ way, name }) => wayFieldKey(way, name)),
];

/** Every other key by these rules. */
export const otherKeys: readonly string[] = Object.keys(units).map(
  (unit) => `widgets.unit.${unit}`,
);
