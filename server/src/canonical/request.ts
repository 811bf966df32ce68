import type { Json, JsonObject } from "#base/json.ts";

/**
 * A generation request independent of any wire format. A conversation is a list of items in the
 * order they happened; messages of all formats map onto it without loss.
 */
export type CanonicalRequest = {
  /** The model's name at the upstream: the channel's model mapping has been applied. */
  readonly model: string;
  readonly items: readonly Item[];
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice;
  /** Whether the model may call several tools in one answer. Null: the provider's default. */
  readonly parallelToolCalls: boolean | null;
  readonly limits: Limits;
  readonly sampling: Sampling;
  /** Null: the provider's default. */
  readonly reasoning: Reasoning | null;
  /** The required form of the answer. Null: free text. */
  readonly output: OutputShape | null;
  readonly stream: boolean;
  /**
   * Fields that only one dialect has, by its format id. They are sent to upstreams of the same
   * dialect; for others they are losses.
   */
  readonly extras: ReadonlyMap<string, JsonObject>;
};

export type Item =
  | { readonly type: "message"; readonly role: Role; readonly parts: readonly Part[] }
  /** Reasoning of an earlier turn. `text` is empty if the provider does not reveal it. */
  | { readonly type: "reasoning"; readonly text: string; readonly opaque: Opaque | null }
  /** `argsText` is the arguments as JSON text, exactly as the model wrote it. */
  | {
      readonly type: "tool-call";
      readonly callId: string;
      readonly name: string;
      readonly argsText: string;
    }
  | {
      readonly type: "tool-result";
      readonly callId: string;
      readonly parts: readonly Part[];
      readonly failed: boolean;
    }
  /** An item that only one dialect has, such as a hosted search and its result. */
  | { readonly type: "opaque"; readonly dialect: string; readonly raw: JsonObject };

/** Who a message is from. `system` also includes `developer`. */
export type Role = "system" | "user" | "assistant";

export type Part =
  | { readonly type: "text"; readonly text: string; readonly cached: boolean }
  | {
      readonly type: "media";
      readonly kind: "image" | "audio" | "video" | "file";
      readonly source: MediaSource;
      /** Null: unknown. */
      readonly mediaType: string | null;
    }
  | { readonly type: "refusal"; readonly text: string };

/** `data` is base64 without a data-URL prefix. */
export type MediaSource =
  | { readonly type: "bytes"; readonly data: string }
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "file-id"; readonly fileId: string };

/**
 * A signature or encrypted reasoning. Only the provider that issued it accepts it back; all others
 * refuse the call.
 */
export type Opaque = {
  readonly issuer: string;
  readonly modelFamily: string;
  readonly value: Json;
};

/** `parameters` is a JSON Schema (2020-12) of the tool's input object. */
export type Tool = {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
};

export type ToolChoice =
  | { readonly type: "auto" | "none" | "required" }
  | { readonly type: "tool"; readonly name: string };

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
  readonly seed: number | null;
};

export type Reasoning = {
  readonly effort: "none" | "minimal" | "low" | "medium" | "high" | null;
  /** The largest number of tokens for reasoning. Null: decided by `effort`. */
  readonly budgetTokens: number | null;
};

export type OutputShape =
  | { readonly type: "json" }
  | { readonly type: "json-schema"; readonly name: string; readonly schema: JsonObject };
