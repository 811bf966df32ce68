/**
 * How requests are signed for providers to which the key itself is not sent: by a signature of each
 * request, or with a token that the provider gives for the key.
 */

import type { Modality } from "#canonical/modality.ts";
import type { UpstreamFormatId } from "#formats/translation-registry.ts";

/** The fields of a channel that a provider's functions may read. */
export type ChannelFacts = {
  /** The channel's base URL, or the provider's if the channel has none. No trailing slash. */
  readonly baseUrl: string;
  readonly other: string;
  /** Value of OpenAI's header `openai-organization`. Empty: none. */
  readonly organization: string;
};

export type UrlTarget = {
  readonly channel: ChannelFacts;
  readonly format: UpstreamFormatId;
  readonly modality: Modality;
  /** The upstream model, which may differ from the model that the client named. */
  readonly model: string;
  readonly isStream: boolean;
};

/** A request that is complete except for its credentials. */
type UnsignedRequest = {
  readonly key: string;
  readonly channel: ChannelFacts;
  readonly model: UrlTarget["model"];
  readonly format: UrlTarget["format"];
  readonly isStream: boolean;
  readonly url: string;
  /** Names in lower case, `host` included. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

type SignedRequest = {
  readonly kind: "signed";
  readonly url: string;
  /** Headers that are added or take the place of others. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, if the provider wants it changed. */
  readonly body?: Uint8Array;
};

/** Why a request could not be signed. */
export type SigningFault = { readonly kind: "unsigned" } &
  /** The key does not have the form `form`. */
  (
    | { readonly reason: "key-malformed"; readonly form: string }
    /** The provider gives no token for the key; `message` is its own. */
    | { readonly reason: "token-refused"; readonly message: string }
    /** The server that gives tokens did not answer, or not with a token. */
    | { readonly reason: "token-missing"; readonly message: string }
  );

/** A token and the Unix milliseconds until which it is valid. */
export type FetchedToken = {
  readonly kind: "token";
  readonly token: string;
  readonly expiresMs: number;
};

/** Keeps the tokens of one channel, and asks for new ones. */
export type TokenSource = {
  /**
   * Returns the kept token of this name, or has one requested: once, however many calls wait for it.
   */
  get(
    name: string,
    request: () => Promise<FetchedToken | SigningFault>,
  ): Promise<FetchedToken | SigningFault>;
  /** Sends a small form to another server, through the channel's proxy and within its limits. */
  postForm(url: string, fields: Readonly<Record<string, string>>): Promise<FormAnswer>;
};

/** `reason`: a short code of what failed, if no answer came. */
type FormAnswer =
  | { readonly ok: true; readonly status: number; readonly text: string }
  | { readonly ok: false; readonly reason: string };

export type Signer = (
  request: UnsignedRequest,
  tokens: TokenSource,
) => Promise<SignedRequest | SigningFault> | SignedRequest | SigningFault;

/** Makes the fault of a key that does not have the form that the provider's keys have. */
export function malformedKey(form: string): SigningFault {
  return { kind: "unsigned", reason: "key-malformed", form };
}
