import type { TaskUse } from "@tollgate/contract/money/charge.ts";
import type { UsageSource } from "@tollgate/contract/endpoints/logs.ts";
import { type AddedFacts, addedNames } from "@tollgate/contract/logs/fields.ts";
import type {
  HourWindow,
  LongContext,
  SearchPrices,
  ServiceTierFactors,
  TokenKindPrices,
} from "@tollgate/contract/money/price-terms.ts";
import type { Usage } from "./usage.ts";

/**
 * Everything about an ended call except its cost. The writer makes the call's log row from it, with
 * the texts that consoles show, so that the relaying thread does not. Which column of the row has a
 * fact is said in `modules/logs/log-fields.ts`; facts that were added later have the column's name.
 */
export type CallLog = AddedFacts & {
  readonly requestId: string;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly userId: number;
  readonly username: string;
  /** 0: no token, as in the playground. */
  readonly tokenId: number;
  readonly tokenName: string;
  /** Ids of the channels that were tried, in order. */
  readonly tried: readonly number[];
  /** The model name that the client used. */
  readonly modelName: string;
  /** The name that the last channel was asked for; empty: the same. */
  readonly upstreamModel: string;
  readonly group: string;
  readonly useTimeSeconds: number;
  /** Whole milliseconds until the first byte of the answer; null: there was none. */
  readonly firstByteMs: number | null;
  readonly isStream: boolean;
  readonly clientIp: string;
  /** How much the client asked the model to think, in its own word; empty: it did not say. */
  readonly effort: string;
  /** Names of fields that a translation had to drop. */
  readonly losses: readonly string[];
  /** The call's tags, see `contract/src/logs/tags.ts`; absent: none. */
  tags?: readonly string[];
};

/** Gives the record of a call the facts that were added later, as far as they are known. */
export function withAdded<Log extends CallLog>(log: Log, known: AddedFacts): Log {
  const facts: Record<string, unknown> = log;
  for (const name of addedNames) {
    const fact = known[name];
    if (fact !== undefined) facts[name] = fact;
  }
  return log;
}

/** The id of the channel that answered last; 0: no channel was tried. */
export function lastChannelOf({ tried }: CallLog): number {
  return tried.at(-1) ?? 0;
}

/**
 * The price of a charged call as its log row shows it. The figures are decimal texts, as operators
 * enter them.
 */
export type LogPrice = {
  /** Dollars per call; empty: the model is charged by tokens. */
  readonly fixed: string;
  readonly model: string;
  readonly completion: string;
  readonly group: string;
  readonly cache: string;
  readonly cacheCreation: string;
  /** The same for what is written to a cache for an hour. */
  readonly cacheHour: string;
  readonly audio: string;
  readonly audioCompletion: string;
  /** What is charged more for long prompts; absent: nothing. */
  readonly long?: LongContext;
  /** What service tiers cost; absent: all the same. */
  readonly tiers?: ServiceTierFactors;
  /** What hours of the day cost; absent: all the same. */
  readonly hours?: readonly HourWindow[];
  /** What searches and calls cost beside the tokens; absent: nothing. */
  readonly searching?: SearchPrices;
  /** The prices of single kinds of tokens; absent: by the ratios. */
  readonly kinds?: TokenKindPrices;
};

/** The log of a call that is charged. */
export type ChargedCallLog = CallLog & {
  readonly usage: Usage;
  readonly usageSource: UsageSource;
  /**
   * Tokens of the output that came, in the unit of the count: by the tokenizer where the gateway had
   * to count, otherwise by the running estimate.
   */
  readonly seenOutput: number;
  readonly priceVersion: number;
  readonly price: LogPrice;
  /**
   * What the channel that answered charges, in quota units; null: its cost list does not have the
   * model, or there is none. Only root may see this and the next two.
   */
  readonly cost: number | null;
  /** The version of the channel's cost list; 0: the channel has none. */
  readonly costVersion: number;
  /** What the upstream says that the call costs, in US dollars, as a decimal; empty: nothing. */
  readonly reportedCost: string;
  /** Why the answer is incomplete; empty: it is complete. */
  readonly interrupted: string;
  /** A contradiction in the upstream's usage report; empty: none. */
  readonly doubt: string;
  /** Whether more output was reported than the bytes of the answer can hold. */
  readonly hiddenOutput: boolean;
  /** The task that the call began; absent: none. */
  readonly task?: BegunTask;
  /** What the answer gave the user to name in later requests; absent: nothing. */
  readonly given?: GivenIds;
};

/**
 * Ids that an upstream keeps and that an answer told its user. Their rows are written in the
 * transaction of the charge, so that every node knows them when the answer has ended.
 */
export type GivenIds = {
  /** Keyed hashes of the ids. */
  readonly marks: readonly string[];
  /** Identifies the channel's key that was used. */
  readonly keyMark: string;
};

/** A task that an upstream has accepted. Its row is written in the transaction of the charge. */
export type BegunTask = {
  /** The gateway's own id. */
  readonly id: string;
  /** The upstream's id, which no other task of the channel has. */
  readonly upstreamId: string;
  /** What the task does, for the log row. */
  readonly action: string;
  /** What the charge was computed from. */
  readonly use: TaskUse;
  /** Unix milliseconds at which the upstream is first asked about it; 0: never. */
  readonly dueAt: number;
};

/** The log of a call that is not charged, because every channel failed or the gateway did. */
export type FailedCallLog = CallLog & {
  /** The HTTP status that the client got. */
  readonly status: number;
  readonly error: { readonly type: string; readonly code: string; readonly message: string };
  /** Says for root why the last attempt got no answer; empty: it got one, or was not made. */
  readonly fault: string;
};
