/**
 * What a session has to know of the messages of its API. Each API has a reader of this type; the
 * session itself, its holds and its charges are the same for all.
 */

import type { Json } from "#base/json.ts";
import type { ErrorText } from "#formats/format.ts";

/** An error that a client is told of. */
export type Told = Partial<ErrorText> & Pick<ErrorText, "code" | "message">;

/** Bytes of text and of sound, from which tokens are estimated if the upstream reports none. */
export type Amount = { readonly text: number; readonly sound: number };

export const noAmount: Amount = { text: 0, sound: 0 };

/** A message of the client. */
export type Asked =
  | {
      readonly kind: "forward";
      /** What goes on: bytes as they came, or a text written anew. */
      readonly message: Uint8Array | string;
      readonly heard: Amount;
    }
  /** `ends`: whether the session ends as well. Otherwise the client is told, and may go on. */
  | { readonly kind: "refused"; readonly error: Told; readonly ends: boolean };

/** A message of the upstream. */
export type Answered = {
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
  /** What goes on in its place; absent: the message as it came. */
  readonly message?: Buffer;
};

export type MessageReader = {
  asked(bytes: Buffer, isText: boolean): Asked;
  answered(bytes: Buffer, isText: boolean): Answered;
  /** Makes the message that tells a client of an error; absent: only a close can tell it. */
  errorMessage?(id: string, error: Told): string;
  /** Returns the speech since the last transcription, and the model that reads it; empty: none. */
  takeSpeech?(): { readonly model: string; readonly sound: number };
  /** Tokens of sound for bytes of messages, where the upstream reports none. */
  heardTokens(bytes: number): number;
  saidTokens(bytes: number): number;
};
