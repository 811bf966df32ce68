/**
 * The neutral form of what another gateway has, which the nouns here take in. Amounts are whole quota
 * units of the source, times Unix seconds.
 */

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
  /** Whether the user may spend any amount there, so that the balance is what the operator says. */
  readonly isUnlimited: boolean;
};

export type NeutralToken = {
  readonly id: string;
  readonly userId: string;
  /** The key without `sk-`; empty: only its hash is known. */
  readonly key: string;
  /** Hex SHA-256 of the key with `sk-`; empty: the key is known. */
  readonly keyHash: string;
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
  /** How many calls may begin within as many seconds; a count of 0: any number. */
  readonly rate: { readonly count: number; readonly seconds: number };
  /** How much may be spent in each of these times; 0: any amount. */
  readonly budgets: { readonly day: number; readonly week: number; readonly month: number };
  /** What is lost on the way, as a sentence without its subject; empty: nothing. */
  readonly loss: string;
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

/** A call or an order from before the import: it is shown as history, and no sum counts it. */
export type NeutralHistory = {
  /** Whole numbers that grow. */
  readonly id: string;
  readonly userId: string;
  /** Empty: none. */
  readonly tokenId: string;
  readonly tokenName: string;
  /** Empty: none. */
  readonly channelId: string;
  readonly createdTime: number;
  readonly model: string;
  readonly group: string;
  /** What it cost, in quota units of the source; 0: it says nothing of a cost. */
  readonly quota: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly useTimeSeconds: number;
  readonly isStream: boolean;
  readonly content: string;
};
