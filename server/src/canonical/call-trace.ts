/**
 * What a trace says of a call: names, figures and times. It has no field for a text, so that no
 * trace can contain one. Times are Unix milliseconds.
 */

import type { Modality } from "./modality.ts";
import type { Usage } from "./usage.ts";

/** One attempt of a call at a channel. */
export type TracedAttempt = {
  readonly channelId: number;
  /** The provider, by the GenAI conventions of OpenTelemetry. */
  readonly provider: string;
  /** The name that the upstream was asked for. */
  readonly model: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Code of the fault that ended the attempt; empty: it was answered. */
  readonly fault: string;
};

/** One ended call. */
export type TracedCall = {
  readonly requestId: string;
  /** The `traceparent` header of the request; empty: there was none. */
  readonly parent: string;
  readonly modality: Modality;
  readonly isStream: boolean;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Milliseconds to the first byte of the answer; null: there was none. */
  readonly firstByteMs: number | null;
  /** The status that the client got. */
  readonly status: number;
  /** Code of the refusal or of the last fault; empty: the call was answered. */
  readonly fault: string;
  /** What is known once the call was admitted; null: it was refused before. */
  readonly admitted: {
    readonly model: string;
    readonly group: string;
    readonly userId: number;
    /** 0: no token, as in the playground. */
    readonly tokenId: number;
    readonly attempts: readonly TracedAttempt[];
    /** What was charged; null: nothing was. */
    readonly charged: {
      readonly usage: Usage;
      readonly quota: number;
      readonly dollars: number;
    } | null;
  } | null;
};
