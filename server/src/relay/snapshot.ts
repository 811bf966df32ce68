/**
 * The configuration the relay needs, held in memory and at most one second old. Each module
 * provides its part.
 */

import type { PriceList } from "@tollgate/contract/charge.ts";
import type { TimeLimits } from "#network/transport.ts";
import type { Provider } from "#providers/provider.ts";

export type TokenView = {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  /** The key in the form `sk-ab1***xyz`, for messages. */
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
  /** Empty: the owner's group. */
  readonly group: string;
};

export type UserView = {
  readonly id: number;
  readonly username: string;
  readonly role: number;
  /** 1 enabled. Users with any other status, and deleted users, may not call. */
  readonly status: number;
  readonly group: string;
};

export type ChannelView = {
  readonly id: number;
  readonly name: string;
  readonly provider: Provider;
  /** 1 enabled, 2 disabled by hand, 3 disabled automatically. */
  readonly status: number;
  /**
   * Origin and path prefix without a trailing slash. The provider's own if the channel has none.
   */
  readonly baseUrl: string;
  readonly other: string;
  readonly organization: string;
  /** Enabled keys in their order, decrypted. Never logged. */
  readonly keys: readonly string[];
  readonly models: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly modelMapping: ReadonlyMap<string, string>;
  readonly statusCodeMapping: ReadonlyMap<number, number>;
  /**
   * Top-level fields to set in the request body; null: none, and the body's bytes stay as they are.
   */
  readonly paramOverride: Readonly<Record<string, unknown>> | null;
  readonly priority: number;
  readonly weight: number;
  readonly autoBan: boolean;
  readonly testModel: string;
  readonly limits: TimeLimits;
  /**
   * How far reported output tokens are believed. `limit`: up to the call's output limit. `visible`:
   * only as far as the output that was sent explains them.
   */
  readonly usageTrust: "limit" | "visible";
};

/**
 * Channels that serve a model to a group. Tiers are sorted by priority; channels of equal priority
 * share one.
 */
export type Tier = { readonly priority: number; readonly channels: readonly ChannelView[] };

export type PriceVersion = { readonly id: number; readonly list: PriceList };

/** The options that the relay reads, parsed. */
export type RelayOptions = {
  readonly retryTimes: number;
  readonly automaticDisable: boolean;
  /**
   * Texts in lower case. If an upstream's error contains one, the channel is tested, and disabled
   * if the test fails.
   */
  readonly automaticDisableKeywords: readonly string[];
  /** Description of each group that every user may use, by the group's name. */
  readonly usableGroups: Readonly<Record<string, string>>;
  /** How many calls a user may make in a window, and how many of them may succeed; 0: no limit. */
  readonly requestLimit: {
    readonly windowMs: number;
    readonly total: number;
    readonly successes: number;
  };
  /**
   * How many calls a user and a token may have in progress at the same time on this node; 0: no
   * limit.
   */
  readonly callsAtOnce: { readonly perUser: number; readonly perToken: number };
  /** The largest number of bytes of a request body. */
  readonly bodyBytesMax: number;
  /**
   * The largest number of quota units one call may cost; 0: no limit. Checked when quota is held.
   */
  readonly quotaPerCallMax: number;
  /** Output tokens that are held for a call that sets no limit. */
  readonly outputTokensHeld: number;
  /** Whether billing queries report the token's amounts instead of its owner's. */
  readonly billingShowsToken: boolean;
  /** Whether quota is displayed as US dollars. */
  readonly showsCurrency: boolean;
  /** Whether a text contains a forbidden word; null: prompts are not checked. */
  readonly findWord: ((text: string) => boolean) | null;
};

export type Snapshot = {
  /** Finds a token by the keyed hash of its key. */
  findToken(lookup: string): TokenView | undefined;
  findTokenById(id: number): TokenView | undefined;
  findUser(id: number): UserView | undefined;
  findChannel(id: number): ChannelView | undefined;
  /** The enabled channels that serve the model to the group. Undefined: there are none. */
  tiersFor(group: string, model: string): readonly Tier[] | undefined;
  /**
   * The groups for which a channel, enabled or disabled, lists the model. Undefined: no channel
   * lists it.
   */
  groupsOffered(model: string): ReadonlySet<string> | undefined;
  /** Names of the models for which a group has an enabled channel, sorted. */
  modelsOf(group: string): readonly string[];
  readonly prices: PriceVersion;
  readonly options: RelayOptions;
};
