/**
 * OAuth identities and mailboxes of users, one row each. They are unique, so no two users share
 * one; the rows of deleted users stay. Identities, states and used signatures are written by
 * `modules/identities` only. Times in this file are Unix milliseconds.
 */
export type IdentityTable = {
  /** Who issued the subject: the provider's name for itself, or `mail`. */
  issuer: string;
  /** An id the issuer never gives to anybody else; for `mail` the address in lower case. */
  subject: string;
  /** Name of the sign-in method, or `email`. A user has one identity of each method. */
  method: string;
  user_id: number;
  created_at: number;
};

/**
 * Codes sent by mail, one for each address and purpose. A new one replaces the old one. Written by
 * `modules/identities` only.
 */
export type MailCodeTable = {
  /** `register`, `reset`, `bind:<user id>`, or `undo:<user id>`. */
  purpose: string;
  /** The e-mail address that the code was sent to, in lower case. */
  address: string;
  /** Keyed hash of the code. */
  lookup: string;
  /** Wrong codes tried so far. */
  failures: number;
  expires_at: number;
};

/** OAuth states: each lets a browser that went to a provider come back once. */
export type SignInStateTable = {
  /** Hash of the state that the browser has to bring back. */
  id: string;
  /**
   * The sign-in method that the state may be used for; `""`: any, because some consoles do not say
   * which.
   */
  method: string;
  /** The browser that got the state: its session, or the key of a browser without a session. */
  owner: string;
  /** The user who binds an identity; 0: it is a sign-in. */
  user_id: number;
  /** Invite code for an account that this sign-in may create. */
  aff_code: string;
  expires_at: number;
};

/**
 * Signatures of sign-ins, kept so that none is used twice, because their issuer does not make them
 * single-use.
 */
export type SpentProofTable = { id: string; expires_at: number };

/**
 * Number of wrong passwords since the user last entered the right one or set a new one. A user
 * without any has no row. This table and `SignInPlaceTable` are written by `modules/passwords`
 * only.
 */
export type PasswordFailureTable = { user_id: number; count: number };

/**
 * Networks from which users signed in, the newest few of each user. After too many wrong passwords,
 * further ones may be tried from these networks only.
 */
export type SignInPlaceTable = {
  user_id: number;
  /** The network: an IPv4 address, or the /64 block of an IPv6 address. */
  place: string;
  used_at: number;
};

/**
 * Tokens that have passed the bot check, which are accepted a few times more. `expires_at` is by the
 * clock of the database. Written by `modules/sign-in` only.
 */
export type BotPassTable = {
  /** Hash of the token, and the network that sent it. */
  id: string;
  expires_at: number;
  uses_left: number;
};

/**
 * Attempts that guard accounts, such as sign-ins, counted by all nodes together: one row a limit and
 * key. Written by `modules/attempts` only. Times are Unix milliseconds by the clock of the database.
 */
export type AttemptTable = {
  /** The name of the limit. */
  rule: string;
  /** Hash of what is counted, such as an address. */
  key: string;
  /** The counters of `base/rate-counters.ts` as `end:count,end:count`; empty: none. */
  counters: string;
  /** When none of the attempts counts any more. */
  ends_at: number;
};
