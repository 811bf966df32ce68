/**
 * Who somebody is elsewhere, one row an identity: an account of a provider, or a mailbox. Unique,
 * so no two users share one; the rows of deleted users stay. Written by `modules/sign-in` only,
 * as are all tables of this file. Times are Unix milliseconds.
 */
export type IdentityTable = {
  /** Who vouches for the subject: the provider's own name for itself, or `mail`. */
  issuer: string;
  /** What the issuer never gives to anybody else; of `mail` the address in small letters. */
  subject: string;
  /** Name of the sign-in method, or `email`. A user has one identity of each. */
  method: string;
  user_id: number;
  created_at: number;
};

/** Proofs that somebody reads a mailbox, one an address and purpose; a new one replaces it. */
export type MailCodeTable = {
  /** `register`, `reset`, or `bind:<user id>`. */
  purpose: string;
  /** In small letters. */
  address: string;
  /** Keyed hash of the code; nobody can read it here. */
  lookup: string;
  /** How often a wrong one was tried. */
  failures: number;
  expires_at: number;
};

/** Browsers that went to a provider and are expected back, once each. */
export type SignInStateTable = {
  /** Hash of what the browser has to bring back. */
  id: string;
  /** Name of the method it may be used for; `""`: any, as consoles do not say which. */
  method: string;
  /** The browser it was given to: a session, or whatever names one that has none. */
  owner: string;
  /** Who wants to bind an identity; 0: somebody wants to sign in. */
  user_id: number;
  /** Invite code for the account that may be made. */
  aff_code: string;
  expires_at: number;
};

/** Signatures of sign-ins that count once although their issuer keeps no account of them. */
export type SpentProofTable = { id: string; expires_at: number };

/** Wrong passwords since the last right one or the last new one; who had none has no row. */
export type PasswordFailureTable = { user_id: number; count: number };

/** Where users signed in from, the latest few of each. */
export type SignInPlaceTable = {
  user_id: number;
  /** An IPv4 address, or the /64 of an IPv6 one. */
  place: string;
  used_at: number;
};
