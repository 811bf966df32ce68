/**
 * Text keys that are derived from a name in the contract, so that a new option or kind needs no
 * entry here: `settings.RetryTimes`, `account.ways.bark.url`, and the same with `Help` at the end
 * for the help text. Types check that the catalogues have a label for each; `catalogues.test.ts`
 * checks both languages. A help text may be missing.
 */

import type { Field, FieldUnit } from "@tollgate/contract/kinds/kinds.ts";
import { type ShownName, shownLogFields } from "@tollgate/contract/logs/fields.ts";
import {
  optionSections,
  type OptionName,
  options,
  type OptionSection,
} from "@tollgate/contract/options/options.ts";
import type { unlistedOptions } from "@tollgate/contract/options/options-system.ts";
import {
  noticeFields,
  type noticeWays,
  type NotifyType,
  notifyType,
} from "@tollgate/contract/kinds/notice-ways.ts";

import { type UnreadReason, unreadReasons } from "@tollgate/contract/options/options-unread.ts";

type WayField<Way extends NotifyType> = keyof (typeof noticeWays)[Way]["fields"] & string;

type WayKeys = {
  readonly [Way in NotifyType]: {
    readonly name: `account.ways.${Way}.name`;
    readonly field: `account.ways.${Way}.${WayField<Way>}`;
  };
}[NotifyType];

/** Returns the text key of a notification way's name. */
export function wayKey(way: NotifyType): WayKeys["name"] {
  return `account.ways.${way}.name`;
}

/** Returns the text key of the label of a notification way's field. */
export function wayFieldKey(way: NotifyType, field: string): WayKeys["field"] {
  // Safe cast: the callers take `way` and `field` from the same entry of `noticeFields`.
  return `account.ways.${way}.${field}` as WayKeys["field"];
}

/** `a.b_c` → `aBC`: an option's name in the form that text keys have. */
type Camel<Name extends string> = Name extends `${infer Head}.${infer Tail}`
  ? `${Camel<Head>}${Capitalize<Camel<Tail>>}`
  : Name extends `${infer Head}_${infer Tail}`
    ? `${Head}${Capitalize<Camel<Tail>>}`
    : Name;

function camelOf(name: string): string {
  return name.replaceAll(/[._]([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

type LogFieldKey = `logs.${Camel<ShownName>}`;

/** Returns the text key of the label of a field that the details of a log row show. */
export function logFieldKey(name: ShownName): LogFieldKey {
  // Safe cast: the type `LogFieldKey` changes the name in the same way.
  return `logs.${camelOf(name)}` as LogFieldKey;
}

/** The options that the settings show, because a section lists them. */
type ShownOption = Exclude<OptionName, keyof typeof unlistedOptions>;
type OptionKey = `settings.${Camel<ShownOption>}`;

/** Returns the text key of the label of an option that the settings show. */
export function optionKey(name: OptionName): OptionKey {
  // Safe cast: the type `OptionKey` changes the name in the same way.
  return `settings.${camelOf(name)}` as OptionKey;
}

/** Returns the text key of one choice, for an option that has a list of choices. */
export function choiceKey(name: OptionName, word: string): string {
  return `${optionKey(name)}${capitalized(word)}`;
}

/**
 * Returns a text key for the question that is asked before a switch is turned off. Only switches
 * that need a confirmation have one.
 */
export function turnOffKey(name: OptionName, part: "Body" | "Confirm" | "Title"): string {
  return `${optionKey(name)}Off${part}`;
}

export function sectionKey<Name extends OptionSection["name"]>(
  name: Name,
): `settings.section${Capitalize<Name>}` {
  return `settings.section${capitalized(name)}`;
}

function capitalized<Text extends string>(text: Text): Capitalize<Text> {
  // Safe cast: the type `Capitalize` changes the text in the same way.
  return (text.charAt(0).toUpperCase() + text.slice(1)) as Capitalize<Text>;
}

/** Returns the text key of the explanation why an option has no effect. */
export function unreadKey(reason: UnreadReason): `settings.unread${Capitalize<UnreadReason>}` {
  return `settings.unread${capitalized(reason)}`;
}

/** Returns the text key of the help text that belongs to a label. */
export function helpKey(label: string): string {
  return `${label}Help`;
}

/**
 * Returns the text key of a unit's name. Quota has none, because the console shows quota in
 * dollars.
 */
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
  percent: true,
  seconds: true,
  yuan: true,
};

const shownOptions: readonly OptionName[] = optionSections.flatMap(({ keys }) => keys);

/** Every label that the functions above derive, so every label that the catalogues must have. */
export const labelKeys: readonly string[] = [
  ...optionSections.map(({ name }) => sectionKey(name)),
  ...shownOptions.map(optionKey),
  ...unreadReasons.map(unreadKey),
  ...shownOptions.flatMap((name) => ownKeys(name, options[name])),
  ...notifyType.options.map(wayKey),
  ...noticeFields.map(({ way, name }) => wayFieldKey(way, name)),
  ...shownLogFields.map(({ name }) => logFieldKey(name)),
  ...Object.keys(units).map((unit) => `widgets.unit.${unit}`),
];

function ownKeys(name: OptionName, { choices = [], confirmsOff }: Field): string[] {
  const parts = confirmsOff === true ? (["Title", "Body", "Confirm"] as const) : [];
  return [
    ...choices.map((word) => choiceKey(name, word)),
    ...parts.map((part) => turnOffKey(name, part)),
  ];
}
