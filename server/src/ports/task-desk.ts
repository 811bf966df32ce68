/**
 * What the relay and `modules/tasks` give each other: the relay authenticates, admits and holds
 * quota as for other calls, the tasks' desk knows platforms and stored tasks.
 */

import type { ChargedUsage, UnitPrice } from "@tollgate/contract/money/charge.ts";
import type { ChargedCallLog, LogPrice } from "#canonical/call-log.ts";
import type { ClientRequest, ClientResponse } from "#http/client-request.ts";
import type { Proxy } from "#network/proxy.ts";
import type { TaskRoute } from "#platforms/platform.ts";

/** A channel as tasks use it. */
export type TaskChannel = {
  readonly id: number;
  /** 1 enabled. */
  readonly status: number;
  readonly provider: { readonly type: number };
  readonly baseUrl: string;
  readonly proxy: Proxy | null;
  /** Never to be logged. */
  readonly keys: readonly string[];
  readonly modelMapping: ReadonlyMap<string, string>;
  readonly headerOverride: Readonly<Record<string, string>> | null;
  readonly autoBan: boolean;
  /** Whether only tokens that say so may use it: a channel tagged `backup`. */
  readonly isBackup: boolean;
  /** Whether all users of the channel may name what its upstream keeps. */
  readonly sharesIds: boolean;
  /** Whether clients get results from this server, which fetches them, not the upstream's address. */
  readonly streamsResults: boolean;
};

/** The settings of a token for pictures. */
export type DrawingSettings = {
  readonly mode: string;
  readonly proxyMethod: "" | "prefix" | "replace";
  readonly proxyAddress: string;
  readonly usesBackup: boolean;
};

/** Quota that is held for a task. It ends once: settled or released. */
type TaskHold = {
  settle(settlement: { readonly charge: number; readonly log: ChargedCallLog }): Promise<{
    readonly charged: number;
  }>;
  release(): void;
};

/** How a request to a channel ended, for routing and statistics. */
export type TaskAttempt = {
  /** Null: the channel gave an answer. */
  readonly fault: string | null;
  /** Whether it is certain that the upstream has not begun the task. */
  readonly isRetryable: boolean;
  /** The status and the `retry-after` header of its answer; null: none came. */
  readonly answer: { readonly status: number; readonly retryAfter: string | null } | null;
};

/** A task on its way to one channel after another. */
export type TaskTrip = {
  readonly first: TaskChannel;
  /** The channels that were tried so far, in order. */
  readonly tried: readonly TaskChannel[];
  /** Chooses a key of a channel: the next in turn that is not at its limit. */
  keyFor(channel: TaskChannel): string;
  /**
   * Tries one channel after another, by the rules of all calls, until one has begun the task.
   *
   * @param fits says which others may be tried; null: none.
   * @param once sends the request, and says before by which key.
   */
  tryInTurn(
    fits: ((channel: TaskChannel) => boolean) | null,
    once: (
      channel: TaskChannel,
      isRetry: boolean,
      use: (key: string) => void,
    ) => Promise<TaskAttempt>,
  ): Promise<void>;
};

/** On which terms a caller may use a model. */
export type TaskTerms = {
  readonly model: string;
  readonly group: string;
  readonly price: UnitPrice;
  readonly priceVersion: number;
  readonly logPrice: LogPrice;
  /** What the channel charges for the task, as the log record of the call has it. */
  costOf(
    channel: TaskChannel | undefined,
    usage: ChargedUsage,
  ): Pick<ChargedCallLog, "cost" | "costVersion" | "reportedCost">;
  /** Chooses the channel to try first, among those that `fits`; undefined: there is none. */
  choose(fits: (channel: TaskChannel) => boolean): TaskTrip | undefined;
  /** @throws a refusal of the relay. */
  hold(amount: number): Promise<TaskHold>;
};

/** Who makes a request about tasks, and what the relay does for it. Its functions may throw refusals. */
export type TaskCaller = {
  readonly userId: number;
  readonly username: string;
  /** 0: none. */
  readonly tokenId: number;
  readonly tokenName: string;
  /** The tags of the call, see `contract/src/logs/tags.ts`. */
  readonly tags: readonly string[];
  readonly tokenLimited: boolean;
  readonly drawing: DrawingSettings | null;
  checkText(text: string): void;
  /**
   * @param models the names under which the model may be offered, the first of which is usual.
   * @param channelId the only channel that may be used; null: any that offers the model.
   */
  terms(models: readonly string[], channelId: number | null): TaskTerms;
  /**
   * Finds what a request for the upstream names that the upstream keeps, besides the caller's own
   * task that it follows.
   *
   * @returns the field; empty: nothing.
   */
  namesIn(body: object, follows: string): string;
  /** The request names what was not given to the caller, and no channel shares its ids. */
  notGiven(field: string): Error;
  /** No channel was left to try. */
  noChannel(terms: TaskTerms): Error;
  /** The store did not commit in time. */
  unavailable(): Error;
  /** Logs a submission that is not charged. */
  failed(
    terms: TaskTerms,
    tried: readonly TaskChannel[],
    error: { readonly status: number; readonly code: string; readonly message: string },
  ): void;
};

export type FoundRoute = {
  readonly platform: string;
  readonly route: TaskRoute;
  readonly segments: readonly string[];
  readonly mode: string;
};

export type DeskCall = {
  readonly found: FoundRoute;
  readonly request: ClientRequest;
  readonly requestId: string;
  readonly clientIp: string;
  /** Null: the route needs no key. */
  readonly caller: TaskCaller | null;
  /** The body; empty: there is none. */
  readonly bytes: Uint8Array;
  /** Says a message of the gateway in the client's language. */
  readonly say: (message: string) => string;
};

export type TaskDesk = {
  /** Finds the platform that answers a path; undefined: none does. */
  find(method: string, path: string): FoundRoute | undefined;
  /** Answers a request; null: it has sent the answer itself. */
  answer(call: DeskCall): Promise<ClientResponse | null>;
  /** Writes an error as the platform's clients read it. */
  refuse(
    found: FoundRoute,
    error: { readonly status: number; readonly code: string; readonly message: string },
  ): { readonly status: number; readonly body: string };
};
