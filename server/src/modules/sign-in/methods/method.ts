/** What a way to sign in by an account elsewhere has to say about itself. */

import type { Options } from "#modules/options/options.ts";
import type { CallOutside, OutsideAddresses } from "./outside.ts";

/** Who somebody is elsewhere: the pair never means anybody else. */
export type Identity = {
  /** Who vouches for the subject. */
  readonly issuer: string;
  /** What the issuer never gives to anybody else, and never changes. */
  readonly subject: string;
};

/** Column of the user that shows the subject. */
export type IdentityColumn =
  | "email"
  | "github_id"
  | "linux_do_id"
  | "oidc_id"
  | "telegram_id"
  | "wechat_id";

export type ExternalUser = Identity & {
  /** What people there call them; empty: not told. */
  readonly displayName: string;
  /** A name for a new account, if it can be one; empty: not told. */
  readonly username: string;
  /** An address the provider knows to be theirs; empty: none, or it does not know. */
  readonly email: string;
};

/** What the browser brought. */
export type Proof = {
  readonly code: string;
  /** What it was sent to the provider with. */
  readonly state: string;
  /** Fields that the provider signed; empty but for those that do. */
  readonly fields: Readonly<Record<string, string>>;
};

export type MethodPorts = {
  readonly readOption: Options["read"];
  readonly callOutside: CallOutside;
  readonly addresses: OutsideAddresses;
  /** Where this server is reached, without a final slash. */
  readonly ownAddress: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
};

export type Method = {
  /** As it stands in a sentence: with spaces around what is not Chinese. */
  readonly title: string;
  readonly column: IdentityColumn;
  /** How the proof comes: by a redirect with a state, as a code that was typed, or signed. */
  readonly kind: "code" | "redirect" | "signed";
  /** A user's name begins with it where no better one is known. */
  readonly namePrefix: string;
  readonly isOn: (readOption: Options["read"]) => boolean;
  /**
   * Who the proof is of.
   *
   * @throws Refusal `outside-failed`, or `invalid-input` for a proof that is none.
   */
  readonly identify: (proof: Proof, ports: MethodPorts) => Promise<ExternalUser>;
};
