/** What a method of signing in by an identity at another service has to provide. */

import type { PageSources } from "#http/security-headers.ts";
import type { Options } from "#modules/options/options.ts";
import type { CallOutside } from "#modules/sign-in/sign-in.ts";

/** A person at another service. The pair never comes to mean another person. */
export type Identity = {
  /** The service that vouches for the subject. */
  readonly issuer: string;
  /** An id that the issuer never changes and never gives to another person. */
  readonly subject: string;
};

/** Column of `users` that shows the subject. */
export type IdentityColumn =
  | "email"
  | "github_id"
  | "linux_do_id"
  | "oidc_id"
  | "telegram_id"
  | "wechat_id";

export type ExternalUser = Identity & {
  /** Empty: the service did not say. */
  readonly displayName: string;
  /** A wish for the name of a new account; empty: the service did not say. */
  readonly username: string;
  /** An address that the provider has verified; empty: none. */
  readonly email: string;
};

/** What the browser brings back from the service. */
export type Proof = {
  readonly code: string;
  /** The state that the browser was sent to the service with. */
  readonly state: string;
  /** Fields that the provider signed; empty for methods that sign none. */
  readonly fields: Readonly<Record<string, string>>;
};

export type MethodPorts = {
  readonly readOption: Options["read"];
  readonly callOutside: CallOutside;
  /** Where this server is reached, without a final slash. */
  readonly ownAddress: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
};

export type Method = {
  /** The name in a Chinese sentence: with spaces around it unless it is Chinese. */
  readonly title: string;
  readonly column: IdentityColumn;
  /** How the proof comes: by a redirect with a state, as a typed code, or as signed fields. */
  readonly kind: "code" | "redirect" | "signed";
  /** Beginning of the names of new users for whom no better name is known. */
  readonly namePrefix: string;
  /** Origins of others that the sign-in page loads from while the method is on. */
  readonly pageSources?: PageSources;
  readonly isOn: (readOption: Options["read"]) => boolean;
  /**
   * Finds out whose proof it is.
   *
   * @throws Refusal `outside-failed`, or `invalid-input` for a proof that is not valid.
   */
  readonly identify: (proof: Proof, ports: MethodPorts) => Promise<ExternalUser>;
};
