/**
 * A provider is data about one upstream vendor: its address, its authentication, the wire formats
 * it speaks. The formats themselves are in `formats/`, so most providers are one call of
 * `openaiCompatible`. Code that serves all providers never checks which one it has; it reads these
 * fields.
 */

import type { UpstreamFault } from "#canonical/event.ts";
import type { Modality } from "#canonical/modality.ts";
import type { UsageReader } from "#formats/format.ts";
import type { Quirks } from "#formats/translation.ts";
import type { UpstreamFormatId } from "#formats/translation-registry.ts";
import type { BalanceQuestion } from "./read-balance.ts";
import type { ChannelFacts, Signer, UrlTarget } from "./signing.ts";

export type { ChannelFacts, UrlTarget };

export type Provider = {
  /** The provider's key in the registry. Its file has the same name. */
  readonly id: string;
  readonly label: string;
  /** The provider's name in OpenTelemetry's GenAI conventions; absent: its id. */
  readonly traceName?: string;
  /**
   * The provider's number, as one-api compatible gateways assign it: the `type` of its channels.
   * Never reused. Numbers from 1000 on are our own, for vendors that have none there.
   */
  readonly type: number;
  /**
   * Origin and path prefix without a trailing slash, for channels that set none. Null: every
   * channel must set its own.
   */
  readonly baseUrl: string | null;
  /** The formats that the provider speaks; clients of others are translated to the first. */
  readonly formats: Partial<Record<UpstreamFormatId, SpokenFormat>>;
  /** Path of the provider's model list, in OpenAI's form. Null: it has none. */
  readonly modelsPath: string | null;
  /** How to read the balance of an account at the provider. Absent: it cannot be read. */
  readonly balance?: BalanceQuestion;
  /** Changes the URL of a call, if it is not simply base URL plus path. */
  readonly adjustUrl?: (url: string, target: UrlTarget) => string;
  /** Returns the headers with the channel's key, and any others that this upstream expects. */
  authHeaders(key: string, channel: ChannelFacts): Readonly<Record<string, string>>;
  /**
   * Signs each request, or puts a token in place of the key. Absent: `authHeaders` says all that the
   * provider wants to know.
   */
  readonly sign?: Signer;
  /**
   * Returns the name of an upstream model in the first message of a session of Gemini's Live API.
   * Absent: `models/` and the model.
   */
  readonly nameLiveModel?: (
    model: string,
    by: { readonly channel: ChannelFacts; readonly key: string },
  ) => string;
  /** Judges an error answer. `status` is 300–599, `body` at most 64 kB of text. */
  readFault(status: number, body: string): UpstreamFault;
  /**
   * Hint shown beside the base URL in the channel's form, if the URL is not just origin and path
   * prefix.
   */
  readonly baseUrlForm?: string;
  /** Hint shown beside the key in the channel's form. */
  readonly keyForm: string;
  /** Says which field a key lacks that is JSON; empty: none. Absent: no key is looked into. */
  readonly missingIn?: (key: string) => string;
  /**
   * Hint shown beside the field `other` in the channel's form. Null: the form does not show the
   * field.
   */
  readonly otherForm: string | null;
  /** Whether a channel of this provider can be tested with a small call. */
  readonly testable: boolean;
  /** Models that the form of a new channel suggests. They may no longer exist. */
  readonly defaultModels: readonly string[];
  /** The documents from which the facts in this object were taken. */
  readonly source: string;
};

/** How to call a provider in one of the API formats that it offers. */
export type SpokenFormat = {
  /** Matches the upstream models that are asked in the format. Absent: all are. */
  readonly models?: RegExp;
  /**
   * The path below the base URL for each kind of call. Absent: the provider does not answer that
   * kind. `{model}` and `{other}` are replaced by the upstream model and the channel's `other`,
   * both percent-encoded.
   */
  readonly paths: Partial<Record<Modality, string>>;
  /** The path at which the provider counts the tokens of a prompt; absent: it does not. */
  readonly countPath?: string;
  /** The paths of streamed calls, if they have others. */
  readonly streamPaths?: Partial<Record<Modality, string>>;
  /**
   * Whether to request the usage event of streams. False: the provider refuses the field that
   * requests it, or sends usage anyway.
   */
  readonly asksForUsage: boolean;
  /**
   * Whether only the provider's own address speaks the format: compatible servers at other
   * addresses mostly do not. A channel's `wire` says that its server does.
   */
  readonly onlyAtHome?: boolean;
  /**
   * Matches keys that are for this format alone: a channel all of whose keys match is asked in it,
   * and other channels are not. A channel's `wire` overrules that. Absent: keys do not say it.
   */
  readonly keys?: RegExp;
  /**
   * Whether the provider takes every word of the header `anthropic-beta`. Servers that speak
   * Anthropic's format besides refuse calls with words that they do not know, so they get none.
   */
  readonly takesBetas?: boolean;
  /** Whether the provider documents the field `prompt_cache_key`. */
  readonly takesCacheKey?: boolean;
  /**
   * Whether the provider takes reasoning of earlier turns without a signature. Absent: it refuses
   * it.
   */
  readonly takesUnsigned?: boolean;
  /** How the provider deviates from the format, for requests that are translated to it. */
  readonly quirks?: Quirks;
  /** The same, as far as it depends on the channel. */
  readonly quirksOf?: (channel: Pick<ChannelFacts, "other">) => Quirks;
  /** Reads usage objects that deviate from the format's; absent: they do not. */
  readonly readUsage?: UsageReader;
};

/**
 * Returns the formats in which a provider answers conversations; a channel's `wire` chooses one of
 * them. The others, for pictures, sound and the like, are no choice: each is the only one of its
 * kind.
 */
export function wiresOf({ formats }: Pick<Provider, "formats">): string[] {
  return Object.entries(formats).flatMap(([format, { paths }]) =>
    paths.chat === undefined ? [] : [format],
  );
}
