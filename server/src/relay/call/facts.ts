/**
 * What a call is: who makes it, what it asks for, at which price, within which bounds. Nothing of it
 * changes after the call has begun; what does is in `attempt-state.ts`.
 */

import type { UnitPrice } from "@tollgate/contract/money/charge.ts";
import type { AskedTier } from "@tollgate/contract/money/service-tiers.ts";
import type { HeldBytes } from "#base/memory/byte-budget.ts";
import type { TracedAttempt } from "#canonical/call-trace.ts";
import type { ClientFormat, FormFile, RequestBody } from "#formats/format.ts";
import type { ClientFormatId } from "#formats/registry.ts";
import type { Fields } from "#http/client-request.ts";
import type { Hold } from "#ports/hold.ts";
import type { TokenView, UserView } from "#ports/snapshot.ts";
import type { Transcript } from "#ports/transcript.ts";
import type { Turn } from "#relay/places/conversation.ts";
import type { Plan } from "#relay/plan.ts";
import type { Counted } from "#relay/meter/count.ts";

/** Who makes a call: its token and the token's owner. */
export type Credential = {
  readonly token: TokenView;
  readonly user: UserView;
  /** The only channel to use, named by an administrator in the key; null: the relay chooses. */
  readonly pinnedChannelId: number | null;
};

/** How a request continues, and lets others continue, what the gateway keeps. */
export type Conversation = {
  /** The id by which the client named the conversation; empty: it named none that is kept here. */
  readonly previousId: string;
  /** Whether the gateway keeps the answer, unless the upstream does. */
  readonly keepsAnswer: boolean;
};

/** A form as it was read. */
export type Upload = {
  readonly files: readonly FormFile[];
  /** The bytes that came, of which the files are views. */
  readonly whole: Uint8Array;
  /** Its memory, until the call has ended. */
  readonly held: HeldBytes;
};

/** `pending`: the charge was not committed in time; it will be later. */
export type Billed = "pending" | "settled";

/** The hold of one call, which is settled or released once. */
export type Bill = {
  readonly hold: Hold;
  /** Whether the hold was neither settled nor released yet. */
  isOpen: boolean;
  /** Quota units that the prompt costs more than was held for it, as the upstream has reported. */
  inputBeyond: number;
  /** Quota units that the call was charged; 0 until that is committed. */
  charged: number;
  /** Ends the answer's wait for its charge; null: the answer does not wait yet. */
  answer: ((billed: Billed) => void) | null;
  /** When that wait is too long. Monotonic milliseconds. */
  dueMs: number;
};

/** The attempts of a traced call so far. */
export type CallTrace = { readonly attempts: OpenAttempt[] };

type OpenAttempt = Omit<TracedAttempt, "endedAt" | "fault"> & {
  /** Monotonic milliseconds; null: the attempt's stream goes on until the call ends. */
  endedMs: number | null;
  fault: string;
};

/** The most tokens that a call can use. */
export type CallBounds = {
  readonly input: number;
  readonly output: number;
  /** The most input tokens that the provider may count, for the price; Infinity: nobody knows. */
  readonly inputMax: number;
  /** The service tier that the request asks for. */
  readonly tier: AskedTier;
  /** How many web searches the provider may make. */
  readonly searches: number;
  /** Whether the client's request sets the output limit. */
  readonly isAsked: boolean;
  /** By how much the price of a call is multiplied, in thousandths; absent: it counts once. */
  readonly callThousandths?: number;
};

/** How a call ended. `counted` null: it was not charged. */
export type CallEnd = { readonly status: number; readonly counted: Counted | null };

export type CallFacts = {
  readonly requestId: string;
  readonly clientIp: string;
  readonly credential: Credential;
  /** The model as the client named it. */
  readonly model: string;
  readonly group: string;
  readonly isStream: boolean;
  /** When the call arrived. Unix milliseconds. */
  readonly startedAt: number;
  /** Monotonic milliseconds. */
  readonly startedMs: number;
  /** The client's wire format: its id and its implementation. */
  readonly formatId: ClientFormatId;
  readonly format: ClientFormat;
  readonly body: RequestBody;
  readonly plan: Plan;
  /** The price at the time of the day at which the quota was reserved. */
  readonly price: UnitPrice;
  /** The minute of the day of that time, in UTC; undefined: all have the same price. */
  readonly minute: number | undefined;
  /** The conversation that the call belongs to, and which of its turns it is. */
  readonly turn: Turn;
  /** The call's tags, see `contract/src/logs/tags.ts`. */
  readonly tags: readonly string[];
  /** How many tokens the client's own request may use at most. */
  readonly bounds: CallBounds;
  readonly bill: Bill;
  /** The headers of the client's request. */
  readonly headers: Fields;
  /** Headers of the client's request that are passed on to the upstream; null: none. */
  readonly passed: Readonly<Record<string, string>> | null;
  /** The files of a request that came as a form; null: it came as JSON. */
  readonly upload: Upload | null;
  /** Null: the format has no conversations that go on by an id. */
  readonly conversation: Conversation | null;
  /** Gathers the call's texts; null: they are not stored. */
  readonly transcript: Transcript | null;
  /** Null: the call is not traced. */
  readonly trace: CallTrace | null;
};
