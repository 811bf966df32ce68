/**
 * A provider is data about one upstream vendor: its address, its authentication, the wire formats
 * it speaks. Formats themselves live in `formats/`, so most providers are one call of
 * `openaiCompatible`. Shared code never asks which provider it has; it reads these fields.
 */

import type { UpstreamFault } from "#canonical/event.ts";
import type { Modality } from "#canonical/modality.ts";
import type { UsageReader } from "#formats/format.ts";
import type { FormatId } from "#formats/registry.ts";
import type { BalanceQuestion } from "./read-balance.ts";

export type Provider = {
  /** The provider's key in the registry, and the name of its file. */
  readonly id: string;
  readonly label: string;
  /** The specification's number of the provider: the `type` of its channels. Never reused. */
  readonly type: number;
  /** Origin and path prefix without a trailing slash. Null: every channel must have its own. */
  readonly baseUrl: string | null;
  /** The formats that the provider speaks. */
  readonly formats: Partial<Record<FormatId, SpokenFormat>>;
  /** Path of the provider's model list, in OpenAI's form. Null: it has none. */
  readonly modelsPath: string | null;
  /** How to read the account's balance. Absent: it cannot be read. */
  readonly balance?: BalanceQuestion;
  /** Changes the address, if it is not base URL plus path. */
  readonly adjustUrl?: (url: string, target: UrlTarget) => string;
  /** Headers with the channel's key, and whatever else this upstream expects. */
  authHeaders(key: string, channel: ChannelFacts): Readonly<Record<string, string>>;
  /** Reads an error answer. `status` is 300–599, `body` at most 64 kB of text. */
  readFault(status: number, body: string): UpstreamFault;
  /** Hint beside the base URL in the channel's form, where it is not just origin and prefix. */
  readonly baseUrlForm?: string;
  /** Hint beside the key in the channel's form. */
  readonly keyForm: string;
  /** Hint beside the field `other`. Null: the field is not shown. */
  readonly otherForm: string | null;
  /** Whether a channel can be tested with a small call. */
  readonly testable: boolean;
  /** Models that a new channel's form fills in. They may no longer exist. */
  readonly defaultModels: readonly string[];
  /** Documents from which the facts above were taken. */
  readonly source: string;
};

/** How a provider speaks one format. */
export type SpokenFormat = {
  /**
   * The path of each kind of call below the base URL. Absent: it does not answer that kind.
   * `{model}` and `{other}` are replaced by the upstream model and the channel's `other`, both
   * percent-encoded.
   */
  readonly paths: Partial<Record<Modality, string>>;
  /**
   * Whether to request the usage event of streams. False: it refuses the field, or sends usage
   * anyway.
   */
  readonly asksForUsage: boolean;
  /** Reads usage objects that deviate from the format's. */
  readonly readUsage?: UsageReader;
};

/** What a provider may know of a channel. */
export type ChannelFacts = {
  /** The channel's base URL, or else the provider's. No trailing slash. */
  readonly baseUrl: string;
  readonly other: string;
  /** Empty: none. */
  readonly organization: string;
};

export type UrlTarget = {
  readonly channel: ChannelFacts;
  readonly format: FormatId;
  readonly modality: Modality;
  /** The upstream model. */
  readonly model: string;
};
