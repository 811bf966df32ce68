/**
 * A provider is data about one upstream vendor: where it is, how it authenticates, which wire
 * formats it speaks. Translation lives in `formats/`, so most providers are one call of
 * `openaiCompatible`. Shared code never asks which provider it has; it asks one of these fields.
 */

import type { UpstreamFault } from "#canonical/event.ts";
import type { Modality } from "#canonical/modality.ts";
import type { ReadUsage } from "#canonical/usage.ts";
import type { FormatId } from "#formats/registry.ts";
import type { BalanceQuestion } from "./read-balance.ts";

export type Provider = {
  /** Its key in the registry and the name of its file. */
  readonly id: string;
  readonly label: string;
  /** The specification's number for it: the `type` of its channels. Never given to another. */
  readonly type: number;
  /** Origin and path prefix, no trailing slash. Null: every channel must bring its own. */
  readonly baseUrl: string | null;
  /** The formats it speaks. */
  readonly formats: Partial<Record<FormatId, SpokenFormat>>;
  /** Where it lists its models as OpenAI does. Null: nowhere. */
  readonly modelsPath: string | null;
  /** How it tells what is left of the money paid in. Left out: it does not. */
  readonly balance?: BalanceQuestion;
  /** Where the address departs from base URL plus path. */
  readonly adjustUrl?: (url: string, target: UrlTarget) => string;
  /** Headers that carry the channel's key, and what else this upstream wants to be told. */
  authHeaders(key: string, channel: ChannelFacts): Readonly<Record<string, string>>;
  /** Reads an error answer. `status` is 300–599, `body` at most 64 kB of text. */
  readFault(status: number, body: string): UpstreamFault;
  /** What the channel's form says beside the base URL where it is no mere origin and prefix. */
  readonly baseUrlForm?: string;
  /** What the channel's form says beside the key field. */
  readonly keyForm: string;
  /** What the form says beside the field `other`. Null: the field is not shown. */
  readonly otherForm: string | null;
  /** Whether a channel can be tried with a small call. */
  readonly testable: boolean;
  /** What a new channel's form fills in; no promise that they still exist. */
  readonly defaultModels: readonly string[];
  /** Where the facts above come from. */
  readonly source: string;
};

/** How a provider speaks one format. */
export type SpokenFormat = {
  /**
   * The path of each kind of call below the base URL; none: it does not answer that kind.
   * `{model}` and `{other}` stand for the upstream model and the channel's `other`, both
   * percent-encoded.
   */
  readonly paths: Partial<Record<Modality, string>>;
  /** Whether streams are asked for a usage event. No: it refuses the field or sends usage anyway. */
  readonly asksForUsage: boolean;
  /** Reads the usage object of an answer where it departs from the format's. */
  readonly readUsage?: (raw: unknown) => ReadUsage;
};

/** What a provider may know of the channel it is called through. */
export type ChannelFacts = {
  /** The channel's base URL, or the provider's own. No trailing slash. */
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
