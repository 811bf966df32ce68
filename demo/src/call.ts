/**
 * Reads from a call's body what the client requests. Checks strictly only the fields that change
 * the price.
 */

import { isArray, isObject, type Json, type JsonObject, parseObject } from "./json.ts";
import type { Api } from "./answers/api.ts";
import type { DemoRequest } from "./request-parser.ts";
import type { Target } from "./routes.ts";
import { readTurn, type Turn } from "./turn.ts";

export type DemoCall = {
  readonly api: Api;
  readonly model: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** Number of choices in the answer: `n` times the number of prompts. */
  readonly choiceCount: number;
  /** Null: the client set no limit. */
  readonly outputTokensMax: number | null;
  /** Bytes of all message text ÷ 4, rounded up, at least 1. */
  readonly promptTokens: number;
  /** Identifies the call in the record of what was served (`account.ts`). */
  readonly marker: string;
  /** The body's `user` field, which may contain a script. */
  readonly user: string;
  /** The functions to call; none: the answer is text. */
  readonly tools: readonly Tool[];
  /** The functions that a script may call: those that the client offers, until it has a result. */
  readonly callable: readonly string[];
  /** The JSON text that the answer must be, because the client gave a schema; null: words. */
  readonly json: string | null;
  /** Number of pictures in the conversation. */
  readonly images: number;
  readonly embedding: EmbeddingWish | null;
};

export type Tool = { readonly name: string; readonly argumentsText: string };

type EmbeddingWish = {
  readonly inputs: readonly string[];
  readonly dimensions: number;
  readonly base64: boolean;
};

/** A call, or why it cannot be read, with `param` as in OpenAI's error body. */
export type CallReading =
  | { readonly call: DemoCall }
  | { readonly reason: string; readonly param: string | null };

/** How many choices, inputs and dimensions a call may request: the limits of the OpenAI API. */
const choicesMax = 128;
const embeddingInputsMax = 2_048;
const dimensionsMax = 4_096;
/** Number of dimensions of a vector. Small, because scripted vectors are not used for searches. */
const dimensionsDefault = 256;
const markerLengthMax = 64;
const textBytesPerToken = 4;
/** The phrase that makes the answer a tool call, and the one that makes it a call of each tool. */
const toolPhrase = "use the tool";
const toolsPhrase = "use the tools";
/** The largest number of calls in one answer. */
const toolCallsMax = 4;

/** Reads the body of a call. Never throws: if the body cannot be read, it returns why. */
export function readCall(
  { api: named, inPath }: Target,
  { body: bodyText, header, path }: DemoRequest,
  key: string,
): CallReading {
  const given = parseObject(bodyText);
  if (given === undefined) {
    return { reason: "We could not parse the JSON body of your request.", param: null };
  }
  const api = named.ofBody?.(given) ?? named;
  const body = api.read?.(given, { model: inPath?.model ?? "", path, key, header }) ?? given;
  if (typeof body === "string") return { reason: body, param: null };
  const model = inPath?.model ?? body["model"];
  if (typeof model !== "string" || model === "") {
    return { reason: "you must provide a model parameter", param: "model" };
  }
  const wrong = findWrongNumber(body);
  if (wrong !== undefined) return wrong;
  const texts = readTexts(api, body);
  if ("reason" in texts) return texts;

  const { metadata, stream_options: streamOptions } = body;
  const notes = isObject(metadata) ? metadata : {};
  const { marker } = notes;
  const user = body["user"] ?? notes["user_id"];
  const reportsAlways = api.chunk === null || api.embeds === true;
  const outputTokensMax = readLimit(body);
  const call: DemoCall = {
    api,
    model,
    stream: inPath?.stream ?? (body["stream"] === true && api.embeds !== true),
    includeUsage:
      reportsAlways || (isObject(streamOptions) && streamOptions["include_usage"] === true),
    choiceCount: (typeof body["n"] === "number" ? body["n"] : 1) * texts.promptCount,
    outputTokensMax: typeof outputTokensMax === "number" ? outputTokensMax : null,
    promptTokens: Math.max(1, Math.ceil(texts.bytes / textBytesPerToken)),
    marker: typeof marker === "string" ? marker : texts.last.slice(0, markerLengthMax),
    user: typeof user === "string" ? user : "",
    tools: texts.turn === null ? [] : chooseTools(texts.turn),
    callable: callableOf(texts.turn),
    json: jsonOf(texts.turn?.shape),
    images: texts.turn?.images ?? 0,
    embedding: api.embeds === true ? readEmbedding(body) : null,
  };
  return { call };
}

function readLimit(body: JsonObject): Json | undefined {
  const config = body["generationConfig"];
  if (isObject(config)) return config["maxOutputTokens"];
  return body["max_completion_tokens"] ?? body["max_tokens"] ?? body["max_output_tokens"];
}

function findWrongNumber(body: JsonObject): CallReading | undefined {
  for (const [param, least, most] of [
    ["n", 1, choicesMax],
    ["max_tokens", 1, Number.MAX_SAFE_INTEGER],
    ["max_completion_tokens", 1, Number.MAX_SAFE_INTEGER],
    ["dimensions", 1, dimensionsMax],
  ] as const) {
    const value = body[param];
    if (value === undefined || value === null) continue;
    if (!Number.isInteger(value) || Number(value) < least || Number(value) > most) {
      return {
        reason: `Invalid '${param}': expected an integer from ${least} to ${most}.`,
        param,
      };
    }
  }
  return undefined;
}

/**
 * What is read from the texts of a call: their bytes, the last text of a user, and the number of
 * prompts.
 */
type Texts = {
  readonly bytes: number;
  readonly last: string;
  readonly promptCount: number;
  /** Null: the call has no conversation. */
  readonly turn: Turn | null;
};

function readTexts(api: Api, body: JsonObject): Texts | (CallReading & { reason: string }) {
  const { texts: textsIn, conversation = "messages" } = api;
  if (textsIn === undefined) {
    const param = conversation;
    const turn = readTurn(body, conversation);
    if (turn === undefined) {
      return { reason: `Invalid '${param}': expected at least one message.`, param };
    }
    return { bytes: turn.bytes, last: turn.last, promptCount: 1, turn };
  }
  const param = textsIn;
  const inputs = listInputs(body[param]);
  if (inputs.length === 0) {
    return { reason: `Invalid '${param}': expected a text or a list of texts.`, param };
  }
  if (inputs.length > (api.embeds === true ? embeddingInputsMax : choicesMax)) {
    return { reason: `Invalid '${param}': too many inputs.`, param };
  }
  const bytes = inputs.reduce((sum, input) => sum + inputBytes(input), 0);
  const last = inputs.at(-1) ?? "";
  return {
    bytes,
    last: typeof last === "string" ? last : "",
    promptCount: api.embeds === true ? 1 : inputs.length,
    turn: null,
  };
}

/** `prompt` and `input` are a text, a list of texts, a list of tokens, or a list of such lists. */
type Input = string | readonly Json[];

function listInputs(value: Json | undefined): readonly Input[] {
  if (typeof value === "string") return [value];
  if (!isArray(value)) return [];
  if (value.every((part) => typeof part === "number")) return value.length === 0 ? [] : [value];
  const inputs = value.filter((part): part is Input => typeof part === "string" || isArray(part));
  return inputs.length === value.length ? inputs : [];
}

/**
 * Returns the number of bytes of an input. A list of tokens counts like a text with that many
 * tokens.
 */
function inputBytes(input: Input): number {
  return typeof input === "string" ? Buffer.byteLength(input) : input.length * textBytesPerToken;
}

function readEmbedding(body: JsonObject): EmbeddingWish {
  const dimensions = body["dimensions"];
  return {
    inputs: listInputs(body["input"]).map((input) =>
      typeof input === "string" ? input : JSON.stringify(input),
    ),
    dimensions: typeof dimensions === "number" ? dimensions : dimensionsDefault,
    base64: body["encoding_format"] === "base64",
  };
}

/**
 * Decides which functions the answer calls: one if the last message is a user's that asks for it,
 * each if the user asks for all, or the one that `tool_choice` demands. After tool results the
 * answer is text, so that an agent's loop ends.
 */
function chooseTools({ tools, choice, isAsked, last }: Turn): readonly Tool[] {
  if (choice === "none" || !isAsked) return [];
  const named = typeof choice === "object" ? choice.name : null;
  if (choice === "auto" && !last.includes(toolPhrase)) return [];
  const fitting = named === null ? tools : tools.filter(({ name }) => name === named);
  const count = named === null && last.includes(toolsPhrase) ? toolCallsMax : 1;
  return fitting.slice(0, count).map(({ name, schema }) => ({
    name,
    argumentsText: JSON.stringify(exampleOf(schema, 0)),
  }));
}

function callableOf(turn: Turn | null): readonly string[] {
  return turn === null || turn.hasResults ? [] : turn.tools.map(({ name }) => name);
}

/** Returns JSON that fits a schema; null: there is no schema. */
function jsonOf(shape: Json | undefined): string | null {
  return shape === undefined ? null : JSON.stringify(exampleOf(shape, 0));
}

/** How deep an example of a schema nests. Limited, because schemas can be recursive. */
const exampleDepthMax = 4;

/** Returns an example value that fits a JSON schema well enough for a demonstration. */
function exampleOf(schema: Json | undefined, depth: number): Json {
  if (!isObject(schema) || depth > exampleDepthMax) return {};
  if (isArray(schema["enum"])) return schema["enum"][0] ?? null;
  const properties = schema["properties"];
  const { type } = schema;
  switch (typeof type === "string" ? type.toLowerCase() : type) {
    case "string":
      return "demo";
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return true;
    case "array":
      return [];
    case "null":
      return null;
    default:
      if (!isObject(properties)) return {};
      return Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, exampleOf(inner, depth + 1)]),
      );
  }
}
