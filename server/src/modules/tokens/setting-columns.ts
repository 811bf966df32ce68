/**
 * The columns of the table `tokens` that the token's owner sets. Each is listed once, with its
 * default, how a value from the API is stored, and how a stored value is shown. A new column needs
 * an entry here, a field in the contract, a line in `db/tables/tokens.ts` and a migration.
 */

import {
  type createToken,
  mjMode,
  mjProxyMethod,
  type Token,
} from "@tollgate/contract/endpoints/tokens.ts";
import type { Selectable } from "kysely";
import type { z } from "zod";
import type { TokenTable } from "#db/tables/tokens.ts";
import {
  readAllowIps,
  readChatLinks,
  readDenyIps,
  readExpiredTime,
  readModelLimits,
  readProxyAddress,
  readTags,
} from "./token-fields.ts";

/**
 * The fields of a request that creates or changes a token. When creating, an absent field gets its
 * default; when changing, it stays as it is.
 */
type TokenInput = z.output<(typeof createToken)["input"]>;

type Column<Given, Stored, Shown> = {
  readonly default: Stored;
  /**
   * Brings a value from the API to its stored form.
   * @throws Refusal `invalid-input`.
   */
  readonly store: (given: Given) => Stored;
  readonly show: (stored: Stored) => Shown;
};

type Columns = {
  readonly [Name in keyof TokenInput & keyof TokenTable & keyof Token]?: Column<
    NonNullable<TokenInput[Name]>,
    Selectable<TokenTable>[Name],
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

const whole = (fallback: number) => ({
  default: fallback,
  store: (given: number) => given,
  show: (stored: number) => stored,
});

/** A choice of the contract, which checks what is sent; what is stored was checked then. */
const choice = <Choice extends string>(schema: z.ZodType<Choice>) => ({
  default: "",
  store: (given: Choice): string => given,
  show: (stored: string): Choice => schema.parse(stored),
});

const columns = {
  name: text(),
  expired_time: { default: -1, store: readExpiredTime, show: (stored: number) => stored },
  unlimited_quota: flag,
  model_limits_enabled: flag,
  model_limits: text(readModelLimits),
  allow_ips: text(readAllowIps),
  deny_ips: text(readDenyIps),
  rate_limit_count: whole(0),
  rate_limit_seconds: whole(60),
  rate_limit_message: text(),
  mj_mode: choice(mjMode),
  mj_proxy_method: choice(mjProxyMethod),
  mj_proxy_address: text(readProxyAddress),
  mj_backup_pool: flag,
  chat_links: text(readChatLinks),
  budget_day: whole(0),
  budget_week: whole(0),
  budget_month: whole(0),
  group: text(),
  tags: text(readTags),
} as const satisfies Columns;

type Name = keyof typeof columns;

/** The settings of a token as they are stored. */
export type Settings = Pick<Selectable<TokenTable>, Name>;

// Safe cast: the object has only the keys of its type.
export const settingNames = Object.keys(columns) as readonly Name[];

export const defaultSettings = mapColumns((name) => columns[name].default) as Settings;

/**
 * Brings the settings of a request to their stored form.
 * @throws Refusal `invalid-input`.
 */
export function storedSettings(sent: TokenInput): Partial<Settings> {
  return mapColumns((name) => {
    // Safe cast: the type `Columns` ensures that each column accepts the value sent under its name.
    const { store } = columns[name] as { readonly store: (given: unknown) => unknown };
    return sent[name] === undefined ? undefined : store(sent[name]);
  }) as Partial<Settings>;
}

/** Returns the settings of a token as the API shows them. */
export function shownSettings(row: Settings): Pick<Token, Name> {
  return mapColumns((name) => {
    const { show } = columns[name] as { readonly show: (stored: unknown) => unknown };
    return show(row[name]);
  }) as Pick<Token, Name>;
}

/**
 * Makes an object with a value for each column; columns whose value is undefined are left out. The
 * callers cast it to its exact type.
 */
function mapColumns(valueOf: (name: Name) => unknown): object {
  return Object.fromEntries(
    settingNames.flatMap((name) => {
      const value = valueOf(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
