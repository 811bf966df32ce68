/**
 * Which channel has issued what clients send back in later requests, such as the id of a response
 * that the upstream keeps. Written by `modules/issuers` only, after the answers have ended.
 */
export type IssuedTable = {
  /** Keyed hash of what was issued, hex; it does not tell what that was. */
  mark: string;
  user_id: number;
  channel_id: number;
  /** Identifies the key of the channel that was used: a part of its keyed hash. */
  key_mark: string;
  /** UTC day on which it was issued: whole days since 1970. */
  day: number;
};
