/** The state that all calls of one relay share. */

import type { Ticking } from "#network/ticker.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import type { Stop } from "./endings.ts";
import type { RelayDeps } from "#relay/deps.ts";
import type { CallsAtOnce } from "#relay/admission/calls-at-once.ts";
import type { MovedConversations } from "#relay/places/moved.ts";
import type { Plans } from "#relay/plan.ts";
import type { ConversationMemory } from "#relay/responses-socket/conversations.ts";
import type { Health } from "#relay/routing/health.ts";
import type { KeyRotation } from "#relay/routing/route.ts";
import type { OpenCall } from "./attempt-state.ts";
import type { Credential } from "./facts.ts";

/** A session that counts as one call until it ends. */
export type SessionNow = {
  readonly id: string;
  readonly credential: Credential;
  readonly formatId: string;
  readonly model: string;
  readonly group: string;
  /** Monotonic milliseconds. */
  readonly startedMs: number;
  /** The channels that were tried; the last one answers. */
  readonly tried: ChannelView[];
};

/** An open WebSocket of a client. */
export type OpenSession = {
  readonly credential: Credential;
  /** What it does now; null: nothing, or calls that are listed by themselves. */
  now(): SessionNow | null;
  /** Ends it by the gateway's decision. */
  stop(stop: Stop): void;
};

/** How many refused calls of each user were noted in the present minute. */
export type RefusedRows = { minute: number; readonly byUser: Map<number, number> };

export type RelayState = {
  readonly deps: RelayDeps;
  readonly health: Health;
  readonly keys: KeyRotation;
  readonly moved: MovedConversations;
  readonly plans: Plans;
  readonly calls: Set<OpenCall>;
  /** The WebSockets of clients that are open. */
  readonly sessions: Set<OpenSession>;
  /** What WebSockets for responses keep of their conversations. */
  readonly conversations: ConversationMemory;
  readonly atOnce: CallsAtOnce;
  readonly refusedRows: RefusedRows;
  /** Checks the time limits of all calls. */
  readonly ticking: Ticking;
  /** Bytes of all request bodies that are kept in memory while answers stream. */
  keptBytes: number;
  /** Number of answers that are read on although their clients have disconnected. */
  drains: number;
  /** Number of calls so far, running and ended. */
  count: number;
  /**
   * How often users or tokens have changed so far. A call compares this with the number at its
   * start to notice a change.
   */
  callerChanges: number;
  /** Whether the process is stopping and takes no new calls. */
  isStopping: boolean;
};
