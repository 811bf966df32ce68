/**
 * What the relay knows of the installation, held in memory. The modules each make their part,
 * `server/src/snapshot.ts` joins them and keeps them at most one second old.
 */

import type { PriceList } from "@tollgate/contract/charge.ts";
import type { TimeLimits } from "#network/transport.ts";
import type { Provider } from "#providers/provider.ts";

export type TokenView = {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  /** `sk-ab1***xyz`-style text for messages. */
  readonly masked: string;
  /** 1 enabled, 2 disabled, 3 expired, 4 exhausted. */
  readonly status: number;
  /** Unix seconds; −1: never. */
  readonly expiredTime: number;
  readonly unlimitedQuota: boolean;
  /** Null: every model. */
  readonly modelLimits: ReadonlySet<string> | null;
  /** Null: any address. */
  readonly allowsIp: ((address: string) => boolean) | null;
  /** Empty: the owner's. */
  readonly group: string;
};

export type UserView = {
  readonly id: number;
  readonly username: string;
  readonly role: number;
  /** 1 enabled; anything else and deleted users may not call. */
  readonly status: number;
  readonly group: string;
};

export type ChannelView = {
  readonly id: number;
  readonly name: string;
  readonly provider: Provider;
  /** 1 enabled, 2 disabled by hand, 3 disabled automatically. */
  readonly status: number;
  /** Origin and path prefix without final slash; the provider's own when the channel has none. */
  readonly baseUrl: string;
  readonly other: string;
  readonly organization: string;
  /** Opened only to be sent; enabled keys in their order. Never logged. */
  readonly keys: readonly string[];
  readonly models: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly modelMapping: ReadonlyMap<string, string>;
  readonly statusCodeMapping: ReadonlyMap<number, number>;
  /** Top-level fields set in the body; null: none, so that the bytes stay as they came. */
  readonly paramOverride: Readonly<Record<string, unknown>> | null;
  readonly priority: number;
  readonly weight: number;
  readonly autoBan: boolean;
  readonly testModel: string;
  readonly limits: TimeLimits;
};

/** Channels that serve a model to a group, best priority first; equal ones share a tier. */
export type Tier = { readonly priority: number; readonly channels: readonly ChannelView[] };

export type PriceVersion = { readonly id: number; readonly list: PriceList };

/** Options the relay reads, already of their own type. */
export type RelayOptions = {
  readonly retryTimes: number;
  readonly automaticDisable: boolean;
  /** Lower case. */
  readonly automaticDisableKeywords: readonly string[];
  /** Group name → description; every key may be used by every user. */
  readonly usableGroups: Readonly<Record<string, string>>;
  /** Calls a user may make per window, and those of them that may succeed; 0: no limit. */
  readonly requestLimit: {
    readonly windowMs: number;
    readonly total: number;
    readonly successes: number;
  };
  /** Body bytes of a call. */
  readonly bodyBytesMax: number;
  /** Quota units one call may cost; 0: no limit. Refused at the hold. */
  readonly quotaPerCallMax: number;
  /** Output tokens a call that names no limit is held for. */
  readonly outputTokensHeld: number;
  /** Billing queries tell a token's own figures instead of its owner's. */
  readonly billingShowsToken: boolean;
  /** Quota is shown as US dollars. */
  readonly showsCurrency: boolean;
  /** Whether a text holds a word prompts may not hold; null: none is looked for. */
  readonly findWord: ((text: string) => boolean) | null;
};

export type Snapshot = {
  /** By keyed hash of the key. */
  findToken(lookup: string): TokenView | undefined;
  findUser(id: number): UserView | undefined;
  findChannel(id: number): ChannelView | undefined;
  /** Enabled channels only; undefined: the group has no channel for this model. */
  tiersFor(group: string, model: string): readonly Tier[] | undefined;
  /** Groups some channel, enabled or not, names the model for; undefined: none knows the model. */
  groupsOffered(model: string): ReadonlySet<string> | undefined;
  /** Sorted names of models a group has an enabled channel for. */
  modelsOf(group: string): readonly string[];
  readonly prices: PriceVersion;
  readonly options: RelayOptions;
};
