/**
 * Reads what routing, pricing and the hold need from a request's bytes, and nothing else, because
 * the same bytes go to the upstream. Every JSON parser behind the gateway must read these fields in
 * the same way. So a request is refused where parsers may differ (a repeated key, a key in another
 * case).
 */

import { type ObjectScan, readNumber, readString, scanObject, type Span } from "#base/json-scan.ts";
import type { Modality } from "#canonical/modality.ts";
import type { BodyRefusal, RequestBody, RequestPath } from "#formats/format.ts";
import { findWrongElement } from "./embedding-input.ts";
import { conversationSpans } from "#formats/shared/scan/conversation-spans.ts";
import { mostOf, scanFault } from "#formats/shared/scan/crowded.ts";
import { thinkingFields } from "#formats/shared/scan/thinking-budget.ts";
import { isEmpty, isModelName, effortWord, readFlag } from "#formats/shared/body-values.ts";
import { openAiTiers } from "#formats/shared/tiers/service-tiers.ts";
import { countMedia, noMedia } from "./media-parts.ts";
import { chatWatched } from "./named.ts";

const answerCountMax = 128;
const maxTokensMax = 2_000_000;

type Rules = {
  readonly code: string;
  /**
   * The required field with the input for the model. `inputKinds` are the JSON types it may have.
   */
  readonly input: string;
  readonly inputKinds: readonly Span["kind"][];
  /** The fields that are read. */
  readonly keys: readonly string[];
};

const readKeys = [
  "model",
  "stream",
  "n",
  "best_of",
  "max_tokens",
  "max_completion_tokens",
  "stream_options",
];

const effortPath = ["reasoning_effort"];

const watching = {
  chat: { watched: chatWatched, most: mostOf("chat"), noted: conversationSpans },
  tokenLists: { watched: chatWatched, most: mostOf("embeddings") },
};

const rules = {
  chat: {
    code: "invalid_text_request",
    input: "messages",
    inputKinds: ["array"],
    keys: [...readKeys, ...openAiTiers.fields, "messages", "reasoning_effort", ...thinkingFields],
  },
  completions: {
    code: "invalid_text_request",
    input: "prompt",
    inputKinds: ["string", "array"],
    keys: [...readKeys, ...openAiTiers.fields, "prompt"],
  },
  embeddings: {
    code: "invalid_embedding_request",
    input: "input",
    inputKinds: ["string", "array", "object"],
    keys: [...readKeys, "input"],
  },
} as const satisfies Partial<Record<Modality, Rules>>;

/**
 * Reads a request's body, or says why it is refused. A model named in the body takes precedence
 * over one in the path.
 */
export function readRequest(
  bytes: Uint8Array,
  { modality, model: pathModel }: RequestPath,
): RequestBody | BodyRefusal {
  const { code, input, inputKinds, keys } = rulesOf(modality);
  const isWhole = modality !== "embeddings" && modality !== "completions";
  const scan = scanObject(bytes, keys, isWhole ? watching.chat : watching.tokenLists);
  const fault = scanFault(scan);
  if (fault !== "") return refuse(code, "", fault);
  const unclear = findUnclear(scan);
  if (unclear !== undefined) return refuse(code, unclear.param, unclear.message);

  const { values } = scan;
  const model = readModel(bytes, values.get("model"), pathModel);
  if (typeof model !== "string") return refuse(code, "model", model.message);
  const given = values.get(input);
  if (given === undefined || isEmpty(bytes, given)) {
    return refuse(code, input, `field ${input} is required`);
  }
  if (!inputKinds.includes(given.kind)) return refuse(code, input, `${input} is invalid`);
  const element = modality === "embeddings" ? findWrongElement(bytes, given) : undefined;
  if (element !== undefined) {
    return refuse(code, element.name, `${element.name} ${element.problem}`);
  }

  const maxTokens = readCount(bytes, values.get("max_tokens"), 0, maxTokensMax);
  const maxCompletionTokens = readCount(
    bytes,
    values.get("max_completion_tokens"),
    0,
    maxTokensMax,
  );
  const n = readCount(bytes, values.get("n"), 1, answerCountMax);
  const bestOf = readCount(bytes, values.get("best_of"), 1, answerCountMax);
  const stream = readFlag(bytes, values.get("stream"));
  const streamOptions = readStreamOptions(bytes, values.get("stream_options"));
  if (typeof streamOptions === "string") return refuse(code, "stream_options", streamOptions);
  if (maxTokens === "invalid") return refuseValue(code, "max_tokens");
  if (maxCompletionTokens === "invalid") return refuseValue(code, "max_completion_tokens");
  if (n === "invalid") return refuseValue(code, "n");
  if (bestOf === "invalid") return refuseValue(code, "best_of");
  if (stream === "invalid") return refuseValue(code, "stream");

  const media = modality === "chat" ? countMedia(bytes, given) : noMedia;
  return {
    modality,
    model,
    stream: stream === true,
    // Upstreams generate and bill as many answers as the larger of `n` and `best_of` says.
    answerCount: Math.max(n ?? 1, bestOf ?? 1),
    // The larger of `max_tokens` and `max_completion_tokens` counts, because upstreams differ in
    // the one they read. 0 means that there is no limit.
    maxTokens: Math.max(maxTokens ?? 0, maxCompletionTokens ?? 0) || null,
    ...streamOptions,
    effort: effortWord(bytes, values, effortPath),
    textBytes: bytes.length - media.byteCount,
    mediaParts: media.count,
    hasUnseenInput: false,
    tier: modality === "embeddings" ? "default" : openAiTiers.read(bytes, values),
    mayName: scan.isPassed,
    spans: values,
  };
}

function rulesOf(modality: Modality): Rules {
  switch (modality) {
    case "completions":
    case "embeddings":
      return rules[modality];
    default:
      return rules.chat;
  }
}

function refuse(code: string, param: string, message: string): BodyRefusal {
  return { code, param, message };
}

function refuseValue(code: string, param: string): BodyRefusal {
  return refuse(code, param, `${param} is invalid`);
}

/** Finds a key that two JSON parsers could read differently, and says what is wrong with it. */
function findUnclear({
  doubled,
  miscased,
}: ObjectScan): Pick<BodyRefusal, "param" | "message"> | undefined {
  const [twice] = doubled;
  if (twice !== undefined) return { param: twice, message: `field ${twice} occurs more than once` };
  const [other] = miscased;
  if (other === undefined) return undefined;
  return { param: other, message: `field ${other} must be written in lower case` };
}

function readModel(
  bytes: Uint8Array,
  span: Span | undefined,
  pathModel: string | null,
): string | { readonly message: string } {
  const isGiven = span !== undefined && span.kind !== "null";
  const model = isGiven ? readString(bytes, span) : (pathModel ?? "");
  if (model === "") return { message: "model is required" };
  if (model === undefined || !isModelName(model)) {
    return { message: "model is invalid" };
  }
  return model;
}

/** Reads a whole number within a range. Null: the field is absent. */
function readCount(
  bytes: Uint8Array,
  span: Span | undefined,
  min: number,
  max: number,
): number | null | "invalid" {
  if (span === undefined || span.kind === "null") return null;
  const value = readNumber(bytes, span);
  if (value === undefined || !Number.isInteger(value)) return "invalid";
  return value >= min && value <= max ? Math.abs(value) : "invalid"; // turns -0 into 0
}

type StreamOptions = Pick<RequestBody, "wantsCost" | "wantsUsage">;

const noOptions: StreamOptions = { wantsUsage: false };
const usageOnly: StreamOptions = { wantsUsage: true };

/**
 * Reads what the client requests of a stream's usage; a string says what is wrong with the field.
 * The cost stands in the usage, so whoever wants the cost gets the usage.
 */
function readStreamOptions(bytes: Uint8Array, span: Span | undefined): StreamOptions | string {
  if (span === undefined || span.kind === "null") return noOptions;
  if (span.kind !== "object") return "stream_options is invalid";
  const scan = scanObject(bytes, ["include_cost", "include_usage"], span);
  const unclear = findUnclear(scan);
  if (unclear !== undefined) return `stream_options: ${unclear.message}`;
  const asked = readFlag(bytes, scan.values.get("include_usage"));
  if (asked === "invalid") return "stream_options.include_usage is invalid";
  const costSpan = scan.values.get("include_cost");
  if (costSpan === undefined) return asked === true ? usageOnly : noOptions;
  const wantsCost = readFlag(bytes, costSpan);
  if (wantsCost === "invalid") return "stream_options.include_cost is invalid";
  return { wantsCost: wantsCost === true, wantsUsage: asked === true || wantsCost === true };
}
