import type { Json, JsonObject } from "#base/json.ts";

/**
 * A generation request independent of any wire format. A conversation is a list of items in the
 * order they happened; the messages, blocks and parts of all formats become items, one item a
 * block.
 */
export type CanonicalRequest = {
  /** The model's name at the upstream: the channel's model mapping has been applied. */
  readonly model: string;
  readonly items: readonly Item[];
  readonly tools: readonly Tool[];
  /** Null: the client did not say. */
  readonly toolChoice: ToolChoice | null;
  /** Whether the model may call several tools in one answer. Null: the provider's default. */
  readonly parallelToolCalls: boolean | null;
  readonly limits: Limits;
  readonly sampling: Sampling;
  /** Null: the provider's default. */
  readonly reasoning: Reasoning | null;
  /** The required form of the answer. Null: free text. */
  readonly output: OutputShape | null;
  readonly media: MediaOutput | null;
  readonly hints: Hints;
  readonly stream: boolean;
};

/** One block of a conversation. */
export type Item = MessageItem | ReasoningItem | ToolCallItem | ToolResultItem | HostedItem;

export type MessageItem = {
  readonly type: "message";
  readonly role: Role;
  readonly parts: readonly Part[];
};

/**
 * Reasoning of an earlier turn. `text` is empty if the provider does not reveal it. `opaque` is the
 * signature of the text, or the encrypted text.
 */
export type ReasoningItem = {
  readonly type: "reasoning";
  readonly text: string;
  readonly opaque: Opaque | null;
  /** Whether the provider sends a summary instead of the reasoning itself. */
  readonly isSummary: boolean;
  /**
   * What a tool of the provider did, if `opaque` is an item of one, for clients of other formats.
   * Absent: no other format has words for it.
   */
  readonly outcome?: HostedOutcome;
};

export type ToolCallItem = {
  readonly type: "tool-call";
  readonly callId: string;
  readonly name: string;
  /** The arguments exactly as the model wrote them: JSON text, or free text for a custom tool. */
  readonly argsText: string;
  readonly form: "json" | "text";
  /** A signature that must go back with the call (Gemini). */
  readonly opaque: Opaque | null;
  readonly cache: Breakpoint | null;
};

export type ToolResultItem = {
  readonly type: "tool-result";
  readonly callId: string;
  /** Empty: the format does not repeat the tool's name. */
  readonly name: string;
  readonly parts: readonly Part[];
  readonly failed: boolean;
  readonly cache: Breakpoint | null;
};

/**
 * An item that only one format has, such as a hosted search and its result. It is sent to upstreams
 * of the format from which it came.
 */
export type HostedItem = {
  readonly type: "hosted";
  /** The format's name of the kind, for the list of losses. */
  readonly kind: string;
  readonly role: Role;
  readonly issuer: Issuer;
  readonly raw: JsonObject;
};

/** Who a message is from. `system` also includes `developer`. */
export type Role = "system" | "user" | "assistant";

export type Part = TextPart | MediaPart | RefusalPart;

export type TextPart = {
  readonly type: "text";
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly cache: Breakpoint | null;
  /** A signature that must go back with the text (Gemini). */
  readonly opaque: Opaque | null;
};

export type MediaPart = {
  readonly type: "media";
  readonly kind: MediaKind;
  readonly source: MediaSource;
  /** Empty: unknown. */
  readonly mediaType: string;
  /** The file's name or title. Empty: none. */
  readonly name: string;
  /** How closely the model looks at an image. Null: the provider's default. */
  readonly detail: "low" | "high" | null;
  readonly cache: Breakpoint | null;
};

export type RefusalPart = { readonly type: "refusal"; readonly text: string };

export type MediaKind = "image" | "audio" | "video" | "file";

/** `data` is base64 without a data-URL prefix. */
export type MediaSource =
  | { readonly type: "bytes"; readonly data: string }
  | { readonly type: "url"; readonly url: string }
  | {
      readonly type: "file-id";
      readonly fileId: string;
      /** Whose file it is: no other provider has it. */
      readonly issuer: Issuer;
      /** The client's field with the id, for a refusal. */
      readonly field: string;
    };

/** A request to cache the prompt up to here. Null `ttl`: the provider's default. */
export type Breakpoint = { readonly ttl: "5m" | "1h" | null };

/**
 * A source of a text. `start` and `end` count code points of the item's text; null: the provider
 * does not say which part it supports.
 */
export type Citation = {
  readonly url: string;
  readonly title: string;
  readonly quote: string;
  readonly start: number | null;
  readonly end: number | null;
};

/**
 * A signature or encrypted reasoning. Only the provider that issued it accepts it back; all others
 * refuse the call.
 */
export type Opaque = {
  readonly issuer: Issuer;
  /**
   * `signature` belongs to a readable text, `encrypted` replaces it. `item` is a whole item that only
   * the provider's own format has, such as a search that it ran.
   */
  readonly kind: "encrypted" | "item" | "signature";
  readonly value: string;
  /**
   * The provider's id of the item; for Google, which kind of part it signs: `call` or `text`.
   * Empty: none.
   */
  readonly id: string;
};

/** The providers whose opaque values differ. */
export type Issuer = "anthropic" | "bedrock" | "google" | "openai" | "other";

export type Tool = FunctionTool | CustomTool | HostedTool;

/** `parameters` is a JSON Schema of the tool's input object. Null: the tool takes no input. */
export type FunctionTool = {
  readonly type: "function";
  /** Unique within the request. A tool of a namespace is named `namespace__name`. */
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject | null;
  /** Whether the arguments must follow the schema. Null: the client did not say. */
  readonly strict: boolean | null;
  readonly cache: Breakpoint | null;
};

/** A tool that takes free text, in the grammar of `grammar` if there is one. */
export type CustomTool = {
  readonly type: "custom";
  readonly name: string;
  readonly description: string;
  readonly grammar: JsonObject | null;
};

/** A tool that the provider itself runs. `kind` is its type in the client's format. */
export type HostedTool = {
  readonly type: "hosted";
  readonly kind: string;
  /** What a choice of tools calls it. */
  readonly name: string;
  readonly raw: JsonObject;
  /** Null: no other format has such a tool. */
  readonly meaning: HostedMeaning | null;
};

/** What tools of providers do that several formats have. Empty texts and lists: not said. */
export type HostedMeaning =
  | {
      readonly type: "web-search";
      readonly allowedDomains: readonly string[];
      readonly blockedDomains: readonly string[];
      readonly place: SearchPlace | null;
      readonly contextSize: "" | "high" | "low" | "medium";
      readonly usesMax: number | null;
    }
  | {
      readonly type: "mcp";
      /** The name of the server. */
      readonly label: string;
      readonly url: string;
      /** A bearer token for it. */
      readonly token: string;
      /** Null: all of its tools. */
      readonly allowedTools: readonly string[] | null;
    }
  | { readonly type: "code-execution" };

/** What tools of providers have done, in words that several formats have. */
export type HostedOutcome =
  | {
      readonly type: "web-search";
      readonly queries: readonly string[];
      readonly sources: readonly { readonly url: string; readonly title: string }[];
      readonly failed: boolean;
    }
  | {
      readonly type: "mcp";
      readonly label: string;
      readonly name: string;
      readonly argsText: string;
      readonly output: string;
      readonly failed: boolean;
    }
  | {
      readonly type: "code-execution";
      readonly code: string;
      readonly output: string;
      readonly failed: boolean;
    };

/** Where the user of a search is, roughly. */
export type SearchPlace = {
  readonly city: string;
  readonly region: string;
  /** Two letters. */
  readonly country: string;
  /** In the form `Europe/Paris`. */
  readonly timezone: string;
};

export type ToolChoice =
  | { readonly type: "auto" | "none" | "required" }
  | { readonly type: "tool"; readonly name: string }
  /** Only these tools may be called; `isRequired`: one of them must be. */
  | { readonly type: "subset"; readonly names: readonly string[]; readonly isRequired: boolean };

export type Limits = {
  /** Upper bound on output tokens. Null: the client set none. */
  readonly maxOutputTokens: number | null;
  readonly stopSequences: readonly string[];
  /** Number of answers requested. */
  readonly count: number;
};

/** How the model picks tokens. Null: the provider's default. */
export type Sampling = {
  /** Temperature, from 0 (greedy) to 2. */
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly topK: number | null;
  readonly seed: number | null;
  readonly presencePenalty: number | null;
  readonly frequencyPenalty: number | null;
  /** Token ids and the values to add to their logits. */
  readonly logitBias: Readonly<Record<string, number>> | null;
  /** Number of alternatives to report for each token; 0: only the chosen token. Null: no report. */
  readonly logprobs: number | null;
};

export type Reasoning = {
  readonly effort: Effort | null;
  /** The largest number of tokens for reasoning. Null: decided by `effort`. */
  readonly budgetTokens: number | null;
  /** Whether the client wants to see the reasoning. Null: it did not say. */
  readonly visible: boolean | null;
};

/** How much the model is to think, from the least to the most. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh"] as const;
export type Effort = (typeof efforts)[number];

export type OutputShape =
  | { readonly type: "json" }
  | {
      readonly type: "json-schema";
      /** Empty: the client's format has no name for it. */
      readonly name: string;
      readonly description: string;
      readonly schema: JsonObject;
      readonly strict: boolean | null;
    };

/** Kinds of output beside text, and the voice of spoken output. */
export type MediaOutput = {
  readonly kinds: readonly ("audio" | "image")[];
  readonly voice: string;
  /** Encoding of audio, for example `wav`. Empty: the provider's default. */
  readonly audioFormat: string;
};

/** What does not change the answer's content. An empty text: the client did not say. */
export type Hints = {
  readonly endUser: string;
  readonly cacheKey: string;
  /**
   * A tier of `service-tiers.ts` of the contract, or the client's own word, which a provider of the
   * same family may know. Empty also where the client leaves the choice to the provider.
   */
  readonly serviceTier: string;
  readonly verbosity: "" | "high" | "low" | "medium";
  readonly metadata: JsonObject | null;
  /** Whether the provider may keep the answer. Null: its default. */
  readonly store: boolean | null;
};

export const noHints: Hints = {
  endUser: "",
  cacheKey: "",
  serviceTier: "",
  verbosity: "",
  metadata: null,
  store: null,
};

export const defaultSampling: Sampling = {
  temperature: null,
  topP: null,
  topK: null,
  seed: null,
  presencePenalty: null,
  frequencyPenalty: null,
  logitBias: null,
  logprobs: null,
};

/** Makes a text part without citations, cache mark and signature. */
export function textPart(text: string): TextPart {
  return { type: "text", text, citations: [], cache: null, opaque: null };
}

/** Whether a JSON value is an object. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
