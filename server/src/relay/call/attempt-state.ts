/**
 * What changes while a call runs. Most of it is the present attempt's, and a further attempt begins
 * it anew; the rest says how far the call has come.
 */

import type { AddedFacts } from "@tollgate/contract/logs/fields.ts";
import type { GivenIds } from "#canonical/call-log.ts";
import type { HeldBytes } from "#base/memory/byte-budget.ts";
import type { Issued } from "#formats/later-turns.ts";
import type { Cancellation } from "#network/cancellation.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import type { Stop } from "./endings.ts";
import type { StreamMeter } from "#relay/meter/stream-meter.ts";
import type { Choice } from "#relay/routing/choice.ts";
import type { KeyUse } from "#relay/routing/key-uses.ts";
import type { Reading, Way } from "#relay/ways/way.ts";
import type { CallBounds, CallFacts } from "./facts.ts";

/** A part of the request that only some upstreams can read. */
export type Bound = AccountBound | FamilyBound;

/** What only one account can read. */
export type AccountBound = Issued & {
  readonly readBy: "account";
  /** 0: no channel that the call may use. */
  readonly channelId: number;
  /** Identifies the channel's key that was used. */
  readonly keyMark: string;
};

/** Signed reasoning in a request. */
export type FamilyBound = {
  readonly readBy: "family";
  /** Identifies the family that signed what stands last; empty: nobody here can read any of it. */
  readonly mark: string;
  /** The family of each text; null: it is the same for all of them. */
  readonly marks: ReadonlyMap<string, string> | null;
};

/** The piece that the present attempt of a call is waiting for. */
export type UnfinishedPiece = {
  readonly held: HeldBytes;
  /** When it must be complete. Monotonic milliseconds; Infinity: none is unfinished. */
  dueMs: number;
};

/** What changes from one attempt to the next. */
type AttemptState = AddedFacts & {
  /** The channels that were tried so far, in order. */
  readonly tried: ChannelView[];
  /** Which upstream alone can read a part of the request; null: none is known. */
  bound: Bound | null;
  /** The key of the channel that the attempt uses. */
  key: string;
  /** What its key is asked at the moment; null: nobody counts that. */
  use: KeyUse | null;
  /** How its conversation was placed, see `logFields`; empty: its place makes no difference. */
  placement: string;
  /** When the conversation left its place, to which this call brings it back; null: it does not. */
  leftMs: number | null;
  /** The share of its request that was sent elsewhere before; 0: the conversation has not moved. */
  cameAgain: number;
  /**
   * How many tokens the request of the attempt may use at most. The channel's parameter override may
   * change the client's limits.
   */
  sent: CallBounds;
  /** How many more channels may be tried. */
  retries: number;
  /** The choices that saw more than the plan; absent: there was none, as for nearly every call. */
  choices?: Choice[];
  /** The way that the attempt goes; null: the next one goes that of the plan. */
  way: Way | null;
  /** How its answer is read; null: no request was written yet. */
  reading: Reading | null;
  /** The parts of the request that were left out, because only another upstream could read them. */
  leftOut: readonly string[];
  /** The long piece of a stream that is not complete; null: none has been long so far. */
  piece: UnfinishedPiece | null;
  /** Cancels the attempt in progress; null: there is none. */
  attempt: Cancellation | null;
};

/** How far a call has come. */
type CallProgress = {
  /**
   * The body as received; empty if too many bodies of streaming calls are in memory to keep this
   * one.
   */
  bytes: Uint8Array;
  /**
   * The prompt's token count, started early because `bytes` could not be kept; null: it can be
   * counted from `bytes`.
   */
  promptTokens: Promise<number> | null;
  /** What the answer gave the user to name in later requests; null: nothing new. */
  given: GivenIds | null;
  /** How many texts of the stream were looked at for that. */
  noted: number;
  /** Milliseconds until the first byte of the answer; null: there was none. */
  firstByteMs: number | null;
  /** Counts the output of the stream that flows to the client; null: none does yet. */
  meter: Pick<StreamMeter, "outputTokens"> | null;
  /** Whether a request was sent to an upstream, which may charge for it. */
  dispatched: boolean;
  /** Whether the client has disconnected. */
  clientGone: boolean;
  /** Called once when the client disconnects; null: nobody needs to know. */
  onDisconnect: (() => void) | null;
  /** Whether the answer is read on although the client has disconnected. */
  isDraining: boolean;
  /** When that ends. Monotonic milliseconds; Infinity: never. */
  drainDueMs: number;
  /** Why the gateway itself ends the call early; null: it does not. */
  stop: Stop | null;
};

/** How far a call has come before its first attempt. */
export const unanswered = {
  way: null,
  reading: null,
  given: null,
  noted: 0,
  key: "",
  piece: null,
  placement: "",
  use: null,
  leftMs: null,
  cameAgain: 0,
  firstByteMs: null,
  meter: null,
  dispatched: false,
  attempt: null,
  clientGone: false,
  onDisconnect: null,
  isDraining: false,
  drainDueMs: Infinity,
  stop: null,
} as const;

/** A call in progress: one object for all of it. */
export type OpenCall = AddedFacts & CallFacts & AttemptState & CallProgress;
