import type { Generated } from "kysely";

/** Secrets shared with authenticator apps. All tables of this file are `modules/second-factor`'s. */
export type TotpTable = {
  user_id: number;
  sealed: string;
  /** Unix milliseconds since when it counts; 0: no code of it was seen yet. */
  confirmed_at: number;
  /** Newest 30-second step whose code was used: no code is good twice. */
  last_step: number;
};

export type PasskeyTable = {
  id: Generated<number>;
  user_id: number;
  /** As the authenticator named it, base64url; unique. */
  credential_id: string;
  /** COSE key, base64url. */
  public_key: string;
  /** Uses as the authenticator counts them; 0 for ever: it does not. */
  counter: number;
  /** Comma-separated hints of how a browser reaches it. */
  transports: string;
  name: string;
  /** Unix milliseconds, as is the other; 0: never. */
  created_at: number;
  used_at: number;
};

/** A row a code that was not used yet. */
export type RecoveryCodeTable = {
  user_id: number;
  /** Keyed hash. */
  lookup: string;
};

/** Steps that were begun and wait for their second half. */
export type FactorTicketTable = {
  /** Hex SHA-256 of what the browser holds. */
  id: string;
  purpose: "login" | "passkey-login" | "register" | "step-up";
  /** 0: whoever shows a passkey. */
  user_id: number;
  /** What a passkey has to sign; empty: nothing. */
  challenge: string;
  /** Unix milliseconds. */
  expires_at: number;
  failures: number;
};
