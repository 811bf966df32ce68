/**
 * Reads from a call's body what the client requests. Checks strictly only the fields that change
 * the price.
 */

import type { Json, JsonObject } from "./json.ts";

export type Route = "chat" | "completions" | "embeddings";

export type DemoCall = {
  readonly route: Route;
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
  /** The tool to call; null: the answer is text. */
  readonly tool: Tool | null;
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
/** The phrase that makes the answer a tool call. */
const toolPhrase = "use the tool";

/** Reads the body of a call. Never throws: if the body cannot be read, it returns why. */
export function readCall(route: Route, bodyText: string): CallReading {
  const body = parseObject(bodyText);
  if (body === undefined) {
    return { reason: "We could not parse the JSON body of your request.", param: null };
  }
  if (typeof body["model"] !== "string" || body["model"] === "") {
    return { reason: "you must provide a model parameter", param: "model" };
  }
  const wrong = findWrongNumber(body);
  if (wrong !== undefined) return wrong;
  const texts = readTexts(route, body);
  if ("reason" in texts) return texts;

  const { metadata, stream_options: streamOptions, user } = body;
  const marker = isObject(metadata) ? metadata["marker"] : undefined;
  const outputTokensMax = body["max_completion_tokens"] ?? body["max_tokens"];
  const call: DemoCall = {
    route,
    model: body["model"],
    stream: body["stream"] === true && route !== "embeddings",
    includeUsage: isObject(streamOptions) && streamOptions["include_usage"] === true,
    choiceCount: (typeof body["n"] === "number" ? body["n"] : 1) * texts.promptCount,
    outputTokensMax: typeof outputTokensMax === "number" ? outputTokensMax : null,
    promptTokens: Math.max(1, Math.ceil(texts.bytes / textBytesPerToken)),
    marker: typeof marker === "string" ? marker : texts.last.slice(0, markerLengthMax),
    user: typeof user === "string" ? user : "",
    tool: route === "chat" ? readTool(body) : null,
    embedding: route === "embeddings" ? readEmbedding(body) : null,
  };
  return { call };
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
type Texts = { readonly bytes: number; readonly last: string; readonly promptCount: number };

function readTexts(route: Route, body: JsonObject): Texts | (CallReading & { reason: string }) {
  if (route === "chat") {
    const messages = body["messages"];
    if (!isArray(messages) || messages.length === 0) {
      return { reason: "Invalid 'messages': expected at least one message.", param: "messages" };
    }
    let bytes = 0;
    let last = "";
    for (const message of messages) {
      if (!isObject(message)) continue;
      const text = contentText(message["content"]);
      bytes += Buffer.byteLength(text);
      if (message["role"] === "user") last = text;
    }
    return { bytes, last, promptCount: 1 };
  }
  const param = route === "completions" ? "prompt" : "input";
  const inputs = listInputs(body[param]);
  if (inputs.length === 0) {
    return { reason: `Invalid '${param}': expected a text or a list of texts.`, param };
  }
  if (inputs.length > (route === "embeddings" ? embeddingInputsMax : choicesMax)) {
    return { reason: `Invalid '${param}': too many inputs.`, param };
  }
  const bytes = inputs.reduce((sum, input) => sum + inputBytes(input), 0);
  const last = inputs.at(-1) ?? "";
  return {
    bytes,
    last: typeof last === "string" ? last : "",
    promptCount: route === "completions" ? inputs.length : 1,
  };
}

/**
 * Returns the text of a message: a string, or the text parts of a list. Media count as nothing
 * here.
 */
function contentText(content: Json | undefined): string {
  if (typeof content === "string") return content;
  if (!isArray(content)) return "";
  let text = "";
  for (const part of content) {
    if (isObject(part) && typeof part["text"] === "string") text += part["text"];
  }
  return text;
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
 * Decides which function the answer calls: one is called if the last message is a user's that asks
 * for it, or if `tool_choice` demands it. After tool results the answer is text, so that an agent's
 * loop ends.
 */
function readTool(body: JsonObject): Tool | null {
  const { tools, tool_choice: choice, messages } = body;
  if (!isArray(tools) || !isArray(messages) || choice === "none") return null;
  const last = messages.at(-1);
  if (!isObject(last) || last["role"] !== "user") return null;
  const chosen = isObject(choice) && isObject(choice["function"]) ? choice["function"] : undefined;
  const demanded = choice === "required" || chosen !== undefined;
  if (!demanded && !contentText(last["content"]).includes(toolPhrase)) return null;
  const functions = tools.flatMap((tool) =>
    isObject(tool) && isObject(tool["function"]) ? [tool["function"]] : [],
  );
  const found =
    chosen === undefined ? functions[0] : functions.find(({ name }) => name === chosen["name"]);
  const name = found?.["name"];
  if (typeof name !== "string") return null;
  return { name, argumentsText: JSON.stringify(exampleOf(found?.["parameters"], 0)) };
}

/** How deep an example of a schema nests. Limited, because schemas can be recursive. */
const exampleDepthMax = 4;

/** Returns an example value that fits a JSON schema well enough for a demonstration. */
function exampleOf(schema: Json | undefined, depth: number): Json {
  if (!isObject(schema) || depth > exampleDepthMax) return {};
  if (isArray(schema["enum"])) return schema["enum"][0] ?? null;
  const properties = schema["properties"];
  switch (schema["type"]) {
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

function parseObject(text: string): JsonObject | undefined {
  try {
    // Safe cast: JSON.parse returns what `Json` describes.
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `Array.isArray` for readonly arrays, which the built-in function does not narrow. */
function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
