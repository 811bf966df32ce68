/**
 * The functions and data that the relay gets from outside. `context.ts` passes the real ones, tests
 * pass their own.
 */

import type { UnitPrice } from "@tollgate/contract/money/charge.ts";
import type { ByteBudget } from "#base/memory/byte-budget.ts";
import type { Logger } from "#base/logger.ts";
import type { RateLimits } from "#base/rate-limit.ts";
import type { ClientFormatId } from "#formats/registry.ts";
import type { FailedCallLog } from "#canonical/call-log.ts";
import type { TracedCall } from "#canonical/call-trace.ts";
import type { TaskDesk } from "#ports/task-desk.ts";
import type { ErrorTexts } from "#http/error-texts.ts";
import type { HoldAnswer, HoldRequest } from "#ports/hold.ts";
import type { Issuers } from "#ports/issuers.ts";
import type { KeptAnswers } from "#ports/kept-answers.ts";
import type { ChannelView, Snapshot, TokenView } from "#ports/snapshot.ts";
import type { Transcript } from "#ports/transcript.ts";
import type { Ticker } from "#network/ticker.ts";
import type { Transport } from "#network/transport.ts";
import type { HealthHint } from "./routing/health-hints.ts";
import type { ApartAnswer, ApartQuestion } from "./ways/apart.ts";

/** A call that cost far more than was held for it. Amounts in quota units. */
type Overrun = {
  readonly tokenId: number;
  readonly requestId: string;
  readonly cost: number;
  readonly held: number;
};

/** How many quota units are left and how many were used. */
type Spending = { readonly remain: number; readonly used: number };

/** What is told of an ended call, in the fields that programs for such questions read. */
type FoundCall = {
  readonly model: string;
  /** RFC 3339. */
  readonly created_at: string;
  readonly streamed: boolean;
  readonly tokens_prompt: number;
  readonly tokens_completion: number;
  /** Milliseconds. */
  readonly generation_time: number;
  /** Quota units that were charged. */
  readonly quota: number;
};

export type RelayDeps = {
  readonly snapshot: Snapshot;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** A random number in the range [0, 1). */
  readonly random: () => number;
  readonly newRequestId: () => string;
  /** Computes the keyed hash, in hex, by which the snapshot finds the token of a key. */
  readonly lookupOf: (key: string) => string;
  /** The same for a key of which another gateway kept only a hash, until its first call here. */
  readonly hashedLookupOf: (key: string) => string;
  /** Computes the keyed hash, in 64 hex digits, that stands for a name which is too long to send. */
  readonly endUserOf: (name: string) => string;
  /** Returns the current price of a model for a group. */
  readonly priceOf: (model: string, group: string) => UnitPrice | undefined;
  /**
   * Decides whether quota is held for a call. Returns a promise only where the database has to be
   * asked.
   */
  readonly reserve: (request: HoldRequest) => HoldAnswer | Promise<HoldAnswer>;
  /**
   * Logs a call that is not charged, because every channel failed or the gateway did. Returns
   * before the row is stored.
   */
  readonly recordFailure: (log: FailedCallLog) => void;
  readonly transport: Transport;
  /** The timer that checks time limits; `transport` uses the same one. */
  readonly ticker: Ticker;
  readonly errorText: ErrorTexts;
  readonly limits: RateLimits;
  /** Returns this node's part of a limit that nodes divide, at least 1. */
  readonly nodeShare: (limit: number) => number;
  /** Counts calls at once for all nodes; null: nothing does, and each node allows its part. */
  readonly places: SharedPlaces | null;
  /** Tells the other nodes what this one has learnt of a channel; it may be lost. */
  readonly tellNodes: (hint: HealthHint) => void;
  /** Holds the memory of what arrives and is not complete. */
  readonly budget: ByteBudget;
  /** Whether to refuse the present call, because the process is overloaded. */
  readonly shedsLoad: (hasWaited: boolean) => boolean;
  readonly tokenizer: Tokenizer;
  /** Reads a long answer on a worker thread. Null: that took too long. */
  readonly readApart: (question: ApartQuestion) => Promise<ApartAnswer | null>;
  /**
   * Disables a channel, or one of its keys, after an upstream's answer has shown that it cannot
   * serve.
   */
  readonly disableChannel: (channel: ChannelView, key: string, reason: string) => void;
  /**
   * Sends a test call to a channel that may not be able to serve, and disables it if the test
   * fails.
   */
  readonly suspectChannel: (channel: ChannelView, reason: string) => void;
  /**
   * Records that a token has expired (3), or is exhausted (4): has less than `needed` quota units
   * left. Returns before that is stored.
   */
  readonly markToken: (tokenId: number, status: 3 | 4, needed?: number) => void;
  /** Stores the key of a token that was found by `hashedLookupOf`. No call waits for it. */
  readonly adoptKey: (token: TokenView, key: string) => void;
  /**
   * Disables a token whose call cost far more than it held, and tells its owner and root. Returns
   * before that is stored.
   */
  readonly freezeToken: (overrun: Overrun) => void;
  /**
   * How much of a token or of a user was spent and is left. Reads the database: only for billing
   * queries, never for a call.
   */
  readonly readSpending: (
    whose: { readonly tokenId: number } | { readonly userId: number },
  ) => Promise<Spending>;
  /**
   * Finds a charged call of a token by its request id; null: the token has none with this id. Reads
   * the database: never for a call.
   */
  readonly findCall: (asked: {
    readonly id: string;
    readonly userId: number;
    readonly tokenId: number;
  }) => Promise<FoundCall | null>;
  /** Answers that clients may continue; only used while option `keepsAnswersDays` is above 0. */
  readonly answers: KeptAnswers;
  /** Which channel has issued what requests send back. */
  readonly issuers: Issuers;
  /** Begins to gather the texts of a call; only called while option `keepsTexts` is on. */
  readonly openTranscript: () => Transcript;
  /** Answers requests about asynchronous tasks. */
  readonly tasks: TaskDesk;
  readonly log: Logger;
  readonly metrics: RelayMetrics;
  readonly attempts: AttemptCounter;
  /** Null: no calls are traced. */
  readonly traces: Traces | null;
};

/** Counts the calls at once of users and tokens, whichever node they run on. */
type SharedPlaces = {
  /** Whether it can be asked now. */
  isUp(): boolean;
  /**
   * Asks for a place of each. `own`: the calls of this node, with the one that asks. `refused`: which
   * of them has none, and then none is taken. `isWhole`: the calls of all nodes were known. Null: it
   * does not answer in time.
   */
  take(
    places: readonly { readonly name: string; readonly own: number; readonly max: number }[],
  ): Promise<{ readonly refused: number | null; readonly isWhole: boolean } | null>;
  /** Tells how many calls this node has of one now. */
  tell(name: string, own: number): void;
};

/** Takes ended calls and sends them to a collector of traces, later and elsewhere. */
type Traces = {
  /** Whether the next call is among those that are traced. */
  takes(): boolean;
  ended(call: TracedCall): void;
};

/** Counts tokens with a model's encoding, on a worker thread. */
type Tokenizer = {
  /** Counts the tokens of a text. Null: the count took too long. */
  count(model: string, text: string): Promise<number | null>;
  /** Counts the tokens of a request's prompt. Null: the count took too long. */
  countPrompt(request: PromptRequest): Promise<number | null>;
  /** Starts the worker thread before it is needed; that takes a few hundred milliseconds. */
  warm(): void;
};

type PromptRequest = {
  readonly formatId: ClientFormatId;
  readonly model: string;
  /** The bytes of the request's body. */
  readonly bytes: Uint8Array;
};

/**
 * Counts attempts at channels, for their statistics. Its functions take plain arguments, because
 * every call calls them. `model` is the model that the client named.
 */
type AttemptCounter = {
  /** @param firstByteMs from the attempt's start to the first output, or to a whole answer. */
  answered(channelId: number, model: string, isRetry: boolean, firstByteMs: number): void;
  /** @param code the fault's code. */
  failed(channelId: number, model: string, isRetry: boolean, code: string): void;
  /** An answer that had begun well broke off. */
  broke(channelId: number, model: string): void;
};

/**
 * Metrics of the relay. Label values must come from small fixed sets, because each new value adds a
 * time series.
 */
export type RelayMetrics = {
  callEnded(end: {
    readonly status: number;
    readonly stream: boolean;
    readonly durationMs: number;
    /** Milliseconds to the first byte of the answer; null: no byte reached the client. */
    readonly firstByteMs: number | null;
    readonly inputTokens: number;
    readonly outputTokens: number;
  }): void;
  channelFault(channelId: number, code: string): void;
  settleLag(ms: number): void;
  callsOpen(change: 1 | -1): void;
};
