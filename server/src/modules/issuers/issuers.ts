/** Which channel has issued what clients send back in later requests. */

export type Issuers = {
  /** Undefined: it is not known. */
  find(text: string): Promise<Issuer | undefined>;
  /** Notes it in memory at once, and in the database soon after. */
  note(texts: readonly string[], issuer: Noted): void;
  /** Returns what identifies a channel's key in an `Issuer`. */
  markOf(key: string): string;
  /** Resolves when everything that was noted is stored. */
  drained(): Promise<void>;
};

export type Issuer = {
  readonly userId: number;
  readonly channelId: number;
  readonly keyMark: string;
};

type Noted = {
  readonly userId: number;
  readonly channelId: number;
  /** The channel's key that was used. */
  readonly key: string;
};
