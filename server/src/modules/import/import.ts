/**
 * The neutral form of what another gateway has. Readers bring its rows to this form, one file for
 * each program; the rest of the module knows no program. Amounts are whole quota units of the
 * source, times Unix seconds.
 */

import type { ForeignDatabase } from "#db/foreign.ts";
import type { Values } from "./values.ts";

export type NeutralUser = {
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
  /** Empty: the user has no password. */
  readonly passwordHash: string;
  /** 1 user, 10 admin; never above. */
  readonly role: 1 | 10;
  readonly isEnabled: boolean;
  readonly email: string;
  readonly githubId: string;
  readonly oidcId: string;
  readonly wechatId: string;
  readonly telegramId: string;
  readonly linuxDoId: string;
  readonly group: string;
  readonly affCode: string;
  /** Id of the user who invited this one; empty: nobody. */
  readonly inviterId: string;
  /** What the user has earned by invitations and not used yet. */
  readonly earnings: number;
  /** Negative: the user owes as much. */
  readonly balance: number;
  readonly usedQuota: number;
  readonly requestCount: number;
  /** 0: not known. */
  readonly createdTime: number;
  /** In RFC 3339; null: not deleted. */
  readonly deletedAt: string | null;
  readonly language: string;
};

export type NeutralToken = {
  readonly id: string;
  readonly userId: string;
  /** The key without `sk-`. */
  readonly key: string;
  readonly name: string;
  /** 1 enabled, 2 disabled, 3 expired, 4 exhausted. */
  readonly status: 1 | 2 | 3 | 4;
  readonly createdTime: number;
  readonly accessedTime: number;
  /** −1: never. */
  readonly expiredTime: number;
  readonly remain: number;
  readonly isUnlimited: boolean;
  /** Null: the token may call every model. */
  readonly models: readonly string[] | null;
  /** Addresses or CIDR blocks, one per line; empty: any. */
  readonly allowIps: string;
  readonly usedQuota: number;
  /** Empty: the owner's group. */
  readonly group: string;
  readonly isDeleted: boolean;
};

export type NeutralChannel = {
  readonly id: string;
  readonly name: string;
  /** The number of a channel type here; null: there is none for it. */
  readonly type: number | null;
  /** How the source names the type. */
  readonly typeName: string;
  readonly isEnabled: boolean;
  readonly keys: readonly string[];
  readonly baseUrl: string;
  readonly other: string;
  readonly models: string;
  readonly group: string;
  /** JSON objects, or empty. */
  readonly modelMapping: string;
  readonly statusCodeMapping: string;
  readonly paramOverride: string;
  /** Address of an outgoing proxy; empty: none. */
  readonly proxy: string;
  readonly tag: string;
  readonly priority: number;
  readonly weight: number;
  readonly isAutoDisabled: boolean;
  readonly organization: string;
  readonly testModel: string;
  readonly usedQuota: number;
};

export type NeutralCode = {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly quota: number;
  /** 1 unused, 2 disabled, 3 used. */
  readonly status: 1 | 2 | 3;
  readonly createdTime: number;
  /** 0: it does not expire. */
  readonly expiredTime: number;
  readonly isDeleted: boolean;
};

/** What a source says once for all. */
export type NeutralSettings = {
  /** How many quota units are a dollar there. */
  readonly quotaPerUnit: number;
  /** Parts of a price list, by their names, as JSON. */
  readonly prices: ReadonlyMap<string, string>;
  /** Who issued the OpenID Connect ids of users; empty: not known. */
  readonly oidcIssuer: string;
};

/** How the rows of a table are read. */
export type TableReader<Row> = {
  readonly table: string;
  /** The column that rows are ordered and known by. */
  readonly key: string;
  /** The columns that there must be. */
  readonly needs: readonly string[];
  /** The columns that are known and have no place here, with nothing lost. */
  readonly plain: readonly string[];
  /** @throws RowFault */
  read(values: Values): Row;
};

/** What knows the tables of one program. */
export type Reader = {
  readonly kind: string;
  /** Whether a database with these tables is one of the program. */
  recognizes(tables: ForeignDatabase["tables"]): boolean;
  readonly users: TableReader<NeutralUser>;
  readonly tokens: TableReader<NeutralToken>;
  readonly channels: TableReader<NeutralChannel>;
  /** Null: the program has no codes. */
  readonly codes: TableReader<NeutralCode> | null;
  readSettings(source: ForeignDatabase): Promise<NeutralSettings>;
  /** Tables that hold nothing but what follows from others. */
  readonly derived: readonly string[];
};

/** A neutral row by its kind. */
type NeutralRows = {
  readonly user: NeutralUser;
  readonly token: NeutralToken;
  readonly channel: NeutralChannel;
  readonly code: NeutralCode;
};

export type RowKind = keyof NeutralRows;
