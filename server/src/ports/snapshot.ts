/**
 * The configuration that the relay needs, held in memory and at most one second old. Each module of
 * the server provides a part of it.
 */

import type { BudgetKind } from "@tollgate/contract/money/budgets.ts";
import type { PriceList, UnitPrice } from "@tollgate/contract/money/charge.ts";
import type { Proxy } from "#network/proxy.ts";
import type { RateRule } from "#base/rate-limit.ts";
import type { TimeLimits } from "#network/transport.ts";
import type { DrawingSettings } from "./task-desk.ts";
import type { Provider } from "#providers/provider.ts";

/** A limit of calls in a time, as `RateLimits.take` takes it. */
export type TokenRateLimit = {
  readonly rule: RateRule;
  readonly key: string;
  /** The text of the error of a call over the limit; empty: the usual text. */
  readonly message: string;
};

/** Quota units by kind of window; 0: any amount. */
export type TokenBudgets = { readonly [Kind in BudgetKind]: number };

export type TokenView = {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  /** Keyed hash of the key by which this was found. */
  readonly lookup: string;
  /** When that key ends, because another has replaced it, in Unix seconds; 0: never. */
  readonly keyEndsAt: number;
  /** The token's key in the form `sk-ab1***xyz`, to be shown in messages. */
  readonly masked: string;
  /** 1 enabled, 2 disabled, 3 expired, 4 exhausted. */
  readonly status: number;
  /** Unix seconds; −1: never. */
  readonly expiredTime: number;
  readonly unlimitedQuota: boolean;
  /** The models that the token may call; null: every model. */
  readonly modelLimits: ReadonlySet<string> | null;
  /** Whether a client address may use the token; null: every address may. */
  readonly allowsIp: ((address: string) => boolean) | null;
  /** Whether a client address may not use the token; null: none is refused. */
  readonly deniesIp: ((address: string) => boolean) | null;
  /** How many calls the token may begin in a time; null: any number. */
  readonly rateLimit: TokenRateLimit | null;
  /** How much the token may spend in a day, a week and a month; null: any amount. */
  readonly budgets: TokenBudgets | null;
  /** The settings for pictures; null: those of a new token. */
  readonly drawing: DrawingSettings | null;
  /** The group whose prices and channels the token uses; empty: the owner's group. */
  readonly group: string;
  /** The tags of each call with the token. */
  readonly tags: readonly string[];
};

/** The status of users who are enabled, and are being moved here from another gateway. */
export const movingStatus = -1;

export type UserView = {
  readonly id: number;
  readonly username: string;
  readonly role: number;
  /**
   * 1 enabled. Users with any other status, and deleted users, may not call; those with
   * `movingStatus` not yet.
   */
  readonly status: number;
  readonly group: string;
};

export type ChannelView = {
  readonly id: number;
  readonly name: string;
  readonly provider: Provider;
  /** 1 enabled, 2 disabled by hand, 3 disabled automatically. */
  readonly status: number;
  /** Origin and path prefix without a trailing slash. If the channel has none, the provider's. */
  readonly baseUrl: string;
  /** The proxy through which the channel's upstream is reached; null: it has none of its own. */
  readonly proxy: Proxy | null;
  readonly other: string;
  readonly organization: string;
  /** The channel's enabled keys in their order, decrypted. Never to be logged. */
  readonly keys: readonly string[];
  readonly models: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly modelMapping: ReadonlyMap<string, string>;
  readonly statusCodeMapping: ReadonlyMap<number, number>;
  /**
   * Top-level fields to set in the request body; null: none, so that the body's bytes stay as they
   * are.
   */
  readonly paramOverride: Readonly<Record<string, unknown>> | null;
  /**
   * Headers to set in requests, in place of the provider's; `{api_key}` in a value stands for the
   * channel's key. Null: none.
   */
  readonly headerOverride: Readonly<Record<string, string>> | null;
  /** Text in front of the client's instructions in conversations; empty: none. */
  readonly systemPrompt: string;
  /** Whether answers of chat completions are written anew in the standard form. */
  readonly forcesFormat: boolean;
  /** Whether the reasoning of chat completions is moved into their text. */
  readonly thinksInText: boolean;
  /**
   * The field in which reasoning of earlier turns goes back when a call is translated to chat
   * completions; `none`: it does not. `provider`: that of the provider, if it wants any.
   */
  readonly reasoningField: "none" | "provider" | "reasoning" | "reasoning_content";
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
  /** Whether only drawing tasks of tokens with the backup pool use it: it is tagged `backup`. */
  readonly isBackup: boolean;
  /**
   * Whether all users of the channel may name what its upstream keeps, whoever it was given to.
   */
  readonly sharesIds: boolean;
  /** What each of the channel's keys may be asked; null: nobody has said it. */
  readonly keyLimits: KeyLimits | null;
  /** Whether conversations keep their places; `usual`: as the model or the group says. */
  readonly places: "off" | "on" | "usual";
  /** Whether requests get marks of the prompt cache where their clients set none. */
  readonly marksCaches: boolean;
  /** Whether results of tasks are streamed to clients instead of giving them their addresses. */
  readonly streamsResults: boolean;
  /** Null: nobody has said what the channel charges. */
  readonly costs: CostList | null;
};

/** The most that a key of an upstream takes: calls at once, and what begins within a minute. 0: any. */
export type KeyLimits = {
  readonly calls: number;
  readonly requests: number;
  readonly tokens: number;
};

/** What a channel charges for calls, for root alone to see. */
export type CostList = {
  /** The version of the list. */
  readonly version: number;
  /** Finds the cost of a model that the channel lists; undefined: it is not known. */
  priceOf(model: string): UnitPrice | undefined;
};

/** Channels of equal priority that serve a model to a group. Tiers are sorted by priority. */
export type Tier = { readonly priority: number; readonly channels: readonly ChannelView[] };

export type PriceVersion = { readonly id: number; readonly list: PriceList };

/** The administrator's options that the relay reads, already parsed. */
export type RelayOptions = {
  readonly retryTimes: number;
  /** Whether conversations keep their places, by model and by group, where somebody has said it. */
  readonly placesByModel: Readonly<Record<string, "off" | "on">>;
  readonly placesByGroup: Readonly<Record<string, "off" | "on">>;
  /** Whether the cheapest of equal channels comes first, likewise. */
  readonly cheapestByModel: Readonly<Record<string, "off" | "on">>;
  readonly cheapestByGroup: Readonly<Record<string, "off" | "on">>;
  readonly automaticDisable: boolean;
  /**
   * Texts in lower case. If an upstream's error contains one, the channel is tested, and disabled
   * if the test fails.
   */
  readonly automaticDisableKeywords: readonly string[];
  /** Description of each group that every user may use, by the group's name. */
  readonly usableGroups: Readonly<Record<string, string>>;
  /**
   * How many calls a user may make in a time window, and how many of them may succeed; 0: no limit.
   */
  readonly requestLimit: {
    readonly windowMs: number;
    readonly total: number;
    readonly successes: number;
  };
  /**
   * How many calls a user and a token may have in progress at the same time; 0: no limit.
   */
  readonly callsAtOnce: { readonly perUser: number; readonly perToken: number };
  /** The largest number of bytes of a request body. */
  readonly bodyBytesMax: number;
  /** The most tokens that a call may ask a model to think, and the most inputs for embeddings. */
  readonly thinkingBudgetMax: number;
  readonly embeddingInputsMax: number;
  /**
   * The largest number of quota units that one call may cost; 0: no limit. Checked whenever quota
   * is held.
   */
  readonly quotaPerCallMax: number;
  /**
   * The most quota units that a user's calls may cost within an hour, and those of all users within
   * a minute, with what running calls hold; 0: no limit.
   */
  readonly spendRules: { readonly userHour: number; readonly gatewayMinute: number };
  /** Output tokens for which quota is held if a call sets no limit. */
  readonly outputTokensHeld: number;
  /** Whether billing queries report the token's amounts instead of its owner's. */
  readonly billingShowsToken: boolean;
  /** The zone whose days, weeks and months budgets have. */
  readonly timeZone: string;
  /** Whether quota is displayed as US dollars. */
  readonly showsCurrency: boolean;
  /** Whether the texts of calls are stored. */
  readonly keepsTexts: boolean;
  /** For how many days answers are kept that clients may continue by their ids; 0: not at all. */
  readonly keepsAnswersDays: number;
  /** Whether responses may be asked for over a WebSocket. */
  readonly takesResponsesSockets: boolean;
  /** Says whether a text contains a forbidden word; null: prompts are not checked. */
  readonly findWord: ((text: string) => boolean) | null;
};

export type Snapshot = {
  /** Another number each time that channels or prices have changed. */
  readonly revision: number;
  /**
   * Finds a token by the keyed hash of its key. Undefined: there is none; null: there are too many
   * to keep all of them, so `readToken` has to be asked.
   */
  findToken(lookup: string): TokenView | null | undefined;
  /** As `findToken`, and asks the database if need be. Rejects when that cannot be asked. */
  readToken(lookup: string): Promise<TokenView | undefined>;
  /** Finds a user with a key, an administrator, or one that was read; undefined: another, or nobody. */
  findUser(id: number): UserView | undefined;
  /** As `findUser`, and asks the database if need be. Rejects when that cannot be asked. */
  readUser(id: number): Promise<UserView | undefined>;
  findChannel(id: number): ChannelView | undefined;
  /** Returns all channels, enabled and disabled. */
  channels(): Iterable<ChannelView>;
  /** Returns the enabled channels that serve the model to the group. Undefined: there are none. */
  tiersFor(group: string, model: string): readonly Tier[] | undefined;
  /**
   * Returns the groups for which a channel, enabled or disabled, lists the model. Undefined: no
   * channel lists it.
   */
  groupsOffered(model: string): ReadonlySet<string> | undefined;
  /** Returns the names of the models for which a group has an enabled channel, sorted. */
  modelsOf(group: string): readonly string[];
  readonly prices: PriceVersion;
  readonly options: RelayOptions;
};
