import type { Generated } from "kysely";

/** Secrets shared with authenticator apps. All tables of this file are `modules/second-factor`'s. */
export type TotpTable = {
  user_id: number;
  sealed: string;
  /** Unix milliseconds of its first valid code, since when it is asked for; 0: none yet. */
  confirmed_at: number;
  /** Newest 30-second step whose code was used, so that no code is accepted twice. */
  last_step: number;
};

export type PasskeyTable = {
  id: Generated<number>;
  user_id: number;
  /** The passkey's id as the authenticator named it, base64url; unique. */
  credential_id: string;
  /** COSE key, base64url. */
  public_key: string;
  /** The authenticator's own count of uses; always 0 when it does not count. */
  counter: number;
  /** Comma-separated hints how a browser reaches it (`usb`, `internal` …). */
  transports: string;
  name: string;
  /** Unix milliseconds, as is the other; 0: never. */
  created_at: number;
  used_at: number;
};

/** Recovery codes that were not used yet, one row each. */
export type RecoveryCodeTable = {
  user_id: number;
  /** Keyed hash. */
  lookup: string;
};

/** Sign-ins and registrations of factors that wait for their second step. */
export type FactorTicketTable = {
  /** Hex SHA-256 of the ticket that the browser has. */
  id: string;
  purpose: "login" | "passkey-login" | "register" | "step-up";
  /** 0: any user, who is known by the passkey. */
  user_id: number;
  /** The challenge a passkey has to sign; empty: none. */
  challenge: string;
  /** Unix milliseconds. */
  expires_at: number;
  failures: number;
  /** 1: the first step was a password that an e-mail or an administrator gave the user. */
  by_given_password: number;
};
