/** Which channel has issued what clients send back in later requests. */

export type Issuers = {
  /** Undefined: it is not known. */
  find(text: string): Promise<Issuer | undefined>;
  /** Finds several at once; those that are not known are left out. */
  findAll(texts: readonly string[]): Promise<ReadonlyMap<string, Issuer>>;
  /** Notes it in memory at once, and in the database soon after. */
  note(texts: readonly string[], issuer: Noted): void;
  /** Returns what identifies a channel's key, or a family of channels, in an `Issuer`. */
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
  /** The channel's key that was used, or the family of channels that can read the text. */
  readonly key: string;
};
