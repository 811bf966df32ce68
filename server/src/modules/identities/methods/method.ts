/** What a sign-in method by OAuth identity must provide. */

import type { PageSources } from "#http/security-headers.ts";
import type { Options } from "#modules/options/options.ts";
import type { CallOutside } from "#modules/sign-in/sign-in.ts";

/** A person at an identity provider. An issuer with a subject always means the same person. */
export type Identity = {
  /** The provider that vouches for the subject. */
  readonly issuer: string;
  /** An id that the issuer never changes and never reuses for another person. */
  readonly subject: string;
};

/** Column of `users` with the text that the console shows for a user's identity. */
export type IdentityColumn =
  | "email"
  | "github_id"
  | "linux_do_id"
  | "oidc_id"
  | "telegram_id"
  | "wechat_id";

export type ExternalUser = Identity & {
  /**
   * The name of the person's account at the provider, if it differs from the subject. It is only
   * shown: it does not identify the person.
   */
  readonly shownAs?: string;
  /** Name that the provider shows for the person; empty if the provider sent none. */
  readonly displayName: string;
  /** Preferred username of a new account; empty if the provider sent none. */
  readonly username: string;
  /** An address that the provider has verified; empty for none. */
  readonly email: string;
};

/** What the browser brings back from the provider. */
export type Proof = {
  readonly code: string;
  /** The state that was issued before the browser went to the provider. */
  readonly state: string;
  /** Fields that the provider signed; empty if the method has no signed fields. */
  readonly fields: Readonly<Record<string, string>>;
};

export type MethodPorts = {
  readonly readOption: Options["read"];
  readonly callOutside: CallOutside;
  /** Public address of this server, without a trailing slash. */
  readonly ownAddress: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
};

export type Method = {
  /**
   * The provider's name as it is put into Chinese sentences: with a space on either side, unless
   * the name is Chinese.
   */
  readonly title: string;
  readonly column: IdentityColumn;
  /** How the proof arrives: by redirect with a state, as a typed code, or as signed fields. */
  readonly kind: "code" | "redirect" | "signed";
  /** Prefix of generated usernames, for new users without a better name. */
  readonly namePrefix: string;
  /**
   * Foreign origins that the sign-in page loads from while the method is turned on. They are listed
   * in the content security policy.
   */
  readonly pageSources?: (readOption: Options["read"]) => PageSources;
  readonly isOn: (readOption: Options["read"]) => boolean;
  /**
   * Verifies a proof and returns the user it identifies.
   *
   * @throws Refusal `outside-failed`, or `invalid-input` if the proof is not valid.
   */
  readonly identify: (proof: Proof, ports: MethodPorts) => Promise<ExternalUser>;
};
