/**
 * The interface of a format whose clients have sessions over a WebSocket: what a session has to know
 * of its messages. The session itself, its holds and its charges are the same for all.
 */

import type { Json } from "#base/json.ts";
import type { Named } from "./shared/named/named-ids.ts";

export type LiveFormat = NamedByAddress | NamedByMessage;

/** The address names the model: the upstream is connected before the client is accepted. */
export type NamedByAddress = NamesInMessages & {
  readonly namedBy: "address";
  /** Opens the reader of one session. */
  openReader(models: SessionModels): MessageReader;
};

/** The first message names the model, after the client was accepted. */
export type NamedByMessage = NamesInMessages & {
  readonly namedBy: "message";
  /** Opens the reader of one session. */
  openReader(): MessageReader;
  /** Reads the first message. Undefined: it is none. */
  readSetup(bytes: Uint8Array): Setup | undefined;
  /** The field of the first message with the handle of an earlier session, to continue it. */
  readonly handleField: string;
  /** Returns the handle by which a later session can continue this one; empty: the message has none. */
  handleIn(bytes: Buffer): string;
  /** Whether clients know the API as Vertex has it, which calls some counts otherwise. */
  readonly isVertex: boolean;
};

type NamesInMessages = {
  /** Finds what a message of the client names of all that an upstream keeps. */
  readNames(bytes: Uint8Array): Named;
};

/** The first message of a session. */
export type Setup = {
  /** The model without what stands before its name; empty: none. */
  readonly model: string;
  /** Makes the message for an upstream that knows the model by this whole name. */
  named(name: string): Uint8Array;
};

/** What the reader of a session needs to know of its models. */
export type SessionModels = {
  /** The model as the client named it, and as the upstream knows it. */
  readonly client: string;
  readonly upstream: string;
  /** Whether the client may have speech transcribed by a model. */
  readonly mayTranscribe: (model: string) => boolean;
};

/** An error that the client of a session is told of. */
export type SessionError = {
  /** As upstreams call it; absent: it is the gateway's own. */
  readonly type?: string;
  readonly code: string;
  readonly message: string;
  /** The field at fault; absent or empty: none. */
  readonly param?: string;
};

/** Bytes of text and of sound, from which tokens are estimated if the upstream reports none. */
export type Amount = { readonly text: number; readonly sound: number };

export const noAmount: Amount = { text: 0, sound: 0 };

/** A message of the client, as far as the session has to know. */
export type ClientMessage =
  | {
      readonly kind: "forward";
      /** What goes on: bytes as they came, or a text written anew. */
      readonly message: Uint8Array | string;
      readonly heard: Amount;
    }
  | RefusedMessage;

/** `ends`: whether the session ends as well. Otherwise the client is told, and may go on. */
export type RefusedMessage = {
  readonly kind: "refused";
  readonly error: SessionError;
  readonly ends: boolean;
};

/** A message of the upstream, as far as the session has to know. */
export type UpstreamMessage = {
  /**
   * `done`: it ends the response, which is charged before the message goes on. `transcribed`: so is
   * what a model of its own has read of the user's speech. `unreadable`: it does not go on.
   */
  readonly kind: "done" | "other" | "transcribed" | "unreadable";
  /** Whether it shows that a response runs. */
  readonly isAnswer: boolean;
  readonly said: Amount;
  /** The usage that it reports. Undefined: none. */
  readonly usage: Json | undefined;
  /** The message with the client's names of the counts; absent: it has these, or none. */
  readonly renamed?: Buffer;
};

/** Reads the messages of one session. */
export type MessageReader = {
  readClient(bytes: Buffer, isText: boolean): ClientMessage;
  readUpstream(bytes: Buffer, isText: boolean): UpstreamMessage;
  /** Makes the message that tells a client of an error; absent: only a close can tell it. */
  errorMessage?(id: string, error: SessionError & { readonly type: string }): string;
  /** Returns the speech since the last transcription, and the model that reads it; empty: none. */
  takeSpeech?(): { readonly model: string; readonly sound: number };
  /** Tokens of sound for bytes of messages, where the upstream reports none. */
  heardTokens(bytes: number): number;
  saidTokens(bytes: number): number;
};
