/** Who issued what clients send back. */

import type { GivenIds } from "#canonical/call-log.ts";

/**
 * Which channel and key issued what a client sends back later, such as the id of a response that the
 * upstream keeps. Only they can continue that conversation.
 */
export type Issuers = {
  /**
   * Finds who issued a text; undefined if nobody is known. It may query the database, so only calls
   * that send such a text back ask.
   */
  find(text: string): Promise<Issuer | undefined>;
  /** Finds who issued several texts; texts without a known issuer are left out. */
  findAll(texts: readonly string[]): Promise<ReadonlyMap<string, Issuer>>;
  /** Returns before it is stored. */
  note(
    texts: readonly string[],
    issuer: { readonly userId: number; readonly channelId: number; readonly key: string },
  ): void;
  /**
   * Notes to whom an answer has given ids; the settlement of the call has to store what this
   * returns. Null: all of it is stored.
   */
  give(
    texts: readonly string[],
    issuer: { readonly userId: number; readonly channelId: number; readonly key: string },
  ): GivenIds | null;
  /** Returns what identifies a channel's key in an `Issuer`. */
  markOf(key: string): string;
};

export type Issuer = {
  readonly userId: number;
  readonly channelId: number;
  readonly keyMark: string;
};
