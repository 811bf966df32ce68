import type { Generated } from "kysely";

/**
 * Secrets shared with authenticator apps. All tables of this file are written by
 * `modules/second-factor` only.
 */
export type TotpTable = {
  user_id: number;
  sealed: string;
  /**
   * When the app's first valid code was entered, in Unix milliseconds; 0: none yet, so sign-in does
   * not ask for one.
   */
  confirmed_at: number;
  /** The newest 30-second step whose code was used, so that no code is accepted twice. */
  last_step: number;
};

export type PasskeyTable = {
  id: Generated<number>;
  user_id: number;
  /** The passkey's id as the authenticator named it, base64url; unique. */
  credential_id: string;
  /** COSE key, base64url. */
  public_key: string;
  /** How often the authenticator says that it was used; always 0 if it does not count. */
  counter: number;
  /**
   * Comma-separated hints for the browser how it can reach the authenticator (`usb`, `internal` …).
   */
  transports: string;
  name: string;
  /** `created_at` and `used_at` are Unix milliseconds; 0: never. */
  created_at: number;
  used_at: number;
};

/** Recovery codes that have not been used yet, one row each. */
export type RecoveryCodeTable = {
  user_id: number;
  /** Keyed hash of the code. */
  lookup: string;
};

/** Sign-ins, and registrations of a factor, that wait for their second step. */
export type FactorTicketTable = {
  /** Hex SHA-256 of the ticket that the browser has. */
  id: string;
  purpose: "login" | "passkey-login" | "register" | "step-up";
  /** 0: not known yet, because the passkey will say who the user is. */
  user_id: number;
  /** The challenge that a passkey has to sign; empty: none. */
  challenge: string;
  /** Unix milliseconds; the ticket is not valid after this time. */
  expires_at: number;
  failures: number;
  /**
   * 1: the sign-in's first step was a password that an e-mail or an administrator gave the user.
   */
  by_given_password: number;
};
