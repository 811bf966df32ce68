/**
 * The columns of a token that its owner decides, each named once: its default, how a sent value is
 * stored, and how a stored one is shown. A new column is an entry here, a field in the contract, a
 * line in `db/tables/tokens.ts` and a migration.
 */

import type { createToken, Token } from "@tollgate/contract/tokens.ts";
import type { Selectable } from "kysely";
import type { z } from "zod";
import type { TokenTable } from "#db/tables/tokens.ts";
import { readAllowIps, readExpiredTime, readModelLimits } from "./token-fields.ts";

/** What an owner sends; an absent field has its default, or stays as it is. */
type Sent = z.output<(typeof createToken)["input"]>;

type Column<Given, Stored, Shown> = {
  readonly default: Stored;
  /** @throws Refusal `invalid-input`. */
  readonly store: (given: Given) => Stored;
  readonly show: (stored: Stored) => Shown;
};

type Columns = {
  readonly [Name in keyof Sent & keyof TokenTable & keyof Token]?: Column<
    NonNullable<Sent[Name]>,
    TokenTable[Name],
    Token[Name]
  >;
};

const text = (store: (given: string) => string = (given) => given) => ({
  default: "",
  store,
  show: (stored: string) => stored,
});

const flag = {
  default: 0,
  store: Number as (given: boolean) => number,
  show: (stored: number) => stored === 1,
};

const columns = {
  name: text(),
  expired_time: { default: -1, store: readExpiredTime, show: (stored: number) => stored },
  unlimited_quota: flag,
  model_limits_enabled: flag,
  model_limits: text(readModelLimits),
  allow_ips: text(readAllowIps),
  group: text(),
} as const satisfies Columns;

type Name = keyof typeof columns;

/** The columns as they are stored. */
export type Settings = Pick<Selectable<TokenTable>, Name>;

// An object's keys are those of its type.
export const settingNames = Object.keys(columns) as readonly Name[];

export const defaultSettings = mapColumns((name) => columns[name].default) as Settings;

/** The settings that were sent, as they are stored. @throws Refusal `invalid-input`. */
export function storedSettings(sent: Sent): Partial<Settings> {
  return mapColumns((name) => {
    // `Columns` has each column take what is sent under its name.
    const { store } = columns[name] as { readonly store: (given: unknown) => unknown };
    return sent[name] === undefined ? undefined : store(sent[name]);
  }) as Partial<Settings>;
}

/** The settings as consoles see them. */
export function shownSettings(row: Settings): Pick<Token, Name> {
  return mapColumns((name) => {
    const { show } = columns[name] as { readonly show: (stored: unknown) => unknown };
    return show(row[name]);
  }) as Pick<Token, Name>;
}

/** A value for each column; undefined leaves the column out. The callers say the exact types. */
function mapColumns(valueOf: (name: Name) => unknown): object {
  return Object.fromEntries(
    settingNames.flatMap((name) => {
      const value = valueOf(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
