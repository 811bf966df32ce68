/**
 * What later turns of a conversation bring back, as a format of clients finds it in their bytes: what
 * an upstream has issued and others cannot read, and what the gateway keeps.
 */

import type { Json, JsonObject } from "#base/json.ts";
import type { RequestBody } from "./format.ts";
import type { NamedRules } from "./shared/named/named-ids.ts";

/** Finds what an upstream has issued for later turns of a conversation, and others cannot read. */
export type IssuedReader = IssuedToAccount | IssuedToFamily;

/** What only the account that issued it can read: the key of a channel. */
export type IssuedToAccount = {
  readonly readBy: "account";
  /** Returns what a request sends back. Undefined: nothing. */
  ofRequest(bytes: Uint8Array, body: Pick<RequestBody, "spans">): Issued | undefined;
  /** Returns what an answer, or the last events of a stream, has that only its issuer can read. */
  ofAnswer(bytes: Uint8Array): readonly string[];
  /**
   * Makes the request without it, and says what was left out. Undefined: without it the answer
   * would be wrong.
   */
  leaveOut(body: JsonObject): LeftOut | undefined;
  /** Matches what upstreams say when they refuse what others have issued. */
  readonly refusedAs: RegExp;
};

/**
 * What all channels of one provider with models of one name can read, such as signatures of
 * reasoning. A conversation can go on without it.
 */
export type IssuedToFamily = {
  readonly readBy: "family";
  /** Returns the last text in the bytes of a request; empty: there is none. */
  lastOf(bytes: Uint8Array): string;
  /** Returns the texts in the bytes of a request or an answer, of many the last ones. */
  allOf(bytes: Uint8Array): readonly string[];
  /** Makes the request without some of it. The same body: there is nothing to change. */
  leaveOut(body: JsonObject, leaving: Leaving): LeftOut;
  readonly refusedAs: RegExp;
};

export type LeftOut = { readonly body: JsonObject; readonly losses: readonly string[] };

export type Leaving = {
  /** Whether a text stays, because the upstream can read it. */
  readonly keeps: (text: string) => boolean;
  /** Whether the upstream takes reasoning without a signature. */
  readonly takesUnsigned: boolean;
};

/** Finds what requests name that an upstream keeps for whoever knows its id. */
export type NamesReader = {
  readonly rules: NamedRules;
  /** Returns the ids that an answer, or the last events of a stream, gives to later requests. */
  givenIn(bytes: Uint8Array, isStream: boolean): readonly string[];
  /**
   * Whether a text of those that stood in a stream is such an id.
   *
   * @param isCut whether the stream broke off, so that `givenIn` has no last events to read.
   */
  isId(text: string, isCut: boolean): boolean;
};

/** What an upstream has issued, in a later request. */
export type Issued = {
  readonly text: string;
  /** The request's field that has it. */
  readonly field: string;
  /** Whether the conversation can go on without it. */
  readonly isOptional: boolean;
};

/** Reads what is kept of conversations, and joins it with requests. */
export type KeptReader = {
  /** The field that names the answer to continue. */
  readonly field: string;
  /** Returns the id of the answer that a request continues; empty: none. */
  continued(bytes: Uint8Array, body: Pick<RequestBody, "spans">): string;
  /** Whether the gateway made the id, as opposed to an upstream. */
  isOwnId(id: string): boolean;
  /** Whether the client lets its answer be kept. */
  mayKeep(bytes: Uint8Array): boolean;
  /** Puts a conversation in front of the input of a request that continues it. */
  join(
    body: JsonObject,
    conversation: { readonly input: Json; readonly answer: JsonObject },
  ): JsonObject;
  /** Returns what is to be kept of a complete call, as JSON. Undefined: it has no id. */
  toKeep(
    request: Uint8Array,
    body: Pick<RequestBody, "spans">,
    answer: Uint8Array,
    isStream: boolean,
  ): ToKeep | undefined;
  /** Lists the items of a kept input, each with an id. */
  listInput(id: string, input: Json): readonly JsonObject[];
};

type ToKeep = {
  readonly id: string;
  /** Whether the answer says that the upstream keeps it. */
  readonly isKeptUpstream: boolean;
  readonly input: Uint8Array;
  readonly answer: Uint8Array;
};
