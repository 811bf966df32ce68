/**
 * The token columns that the owner sets. Each is named once, with its default, how a sent value is
 * stored, and how a stored value is shown. A new column is an entry here, a field in the contract,
 * a line in `db/tables/tokens.ts` and a migration.
 */

import type { createToken, Token } from "@tollgate/contract/tokens.ts";
import type { Selectable } from "kysely";
import type { z } from "zod";
import type { TokenTable } from "#db/tables/tokens.ts";
import { readAllowIps, readExpiredTime, readModelLimits } from "./token-fields.ts";

/** What an owner sends. An absent field gets its default, or stays unchanged in an update. */
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

// The keys of this object are exactly those of its type.
export const settingNames = Object.keys(columns) as readonly Name[];

export const defaultSettings = mapColumns((name) => columns[name].default) as Settings;

/** The sent settings in stored form. @throws Refusal `invalid-input`. */
export function storedSettings(sent: Sent): Partial<Settings> {
  return mapColumns((name) => {
    // The type `Columns` ensures that each column accepts the value sent under its name.
    const { store } = columns[name] as { readonly store: (given: unknown) => unknown };
    return sent[name] === undefined ? undefined : store(sent[name]);
  }) as Partial<Settings>;
}

/** The settings as consoles show them. */
export function shownSettings(row: Settings): Pick<Token, Name> {
  return mapColumns((name) => {
    const { show } = columns[name] as { readonly show: (stored: unknown) => unknown };
    return show(row[name]);
  }) as Pick<Token, Name>;
}

/** Maps each column to a value; undefined omits the column. The callers give the exact types. */
function mapColumns(valueOf: (name: Name) => unknown): object {
  return Object.fromEntries(
    settingNames.flatMap((name) => {
      const value = valueOf(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
