/** Parses a chat completion request into the canonical form. */

import type { JsonObject } from "#base/json.ts";
import {
  type CanonicalRequest,
  defaultSampling,
  type Effort,
  type HostedMeaning,
  type MediaOutput,
  noHints,
  type OutputShape,
  type Reasoning,
  type Tool,
  type ToolChoice,
} from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { openLosses } from "#formats/shared/losses.ts";
import {
  asObject,
  flagOf,
  listOf,
  numberOf,
  objectOf,
  textOf,
  textsOf,
} from "#formats/shared/read-json.ts";
import { readPlace } from "#formats/shared/hosted/search-place.ts";
import { readEffort } from "#formats/shared/reasoning.ts";
import { openAiHint } from "#formats/shared/tiers/service-tiers.ts";
import type { ParsedRequest, TranslatedPath } from "#formats/translation.ts";
import { parseMessages } from "./parse-messages.ts";

/** Fields that are carried, and fields whose absence changes nothing. */
export const carriedFields: ReadonlySet<string> = new Set([
  "audio",
  "enable_thinking",
  "frequency_penalty",
  "function_call",
  "functions",
  "logit_bias",
  "logprobs",
  "max_completion_tokens",
  "max_tokens",
  "messages",
  "metadata",
  "modalities",
  "model",
  "n",
  "parallel_tool_calls",
  "presence_penalty",
  "prompt_cache_key",
  "reasoning",
  "reasoning_effort",
  "response_format",
  "safety_identifier",
  "seed",
  "service_tier",
  "stop",
  "store",
  "stream",
  "stream_options",
  "temperature",
  "thinking",
  "thinking_budget",
  "tool_choice",
  "tools",
  "top_k",
  "top_logprobs",
  "top_p",
  "user",
  "verbosity",
  "web_search_options",
]);

export function parseRequest(body: JsonObject, path: TranslatedPath): BodyRefusal | ParsedRequest {
  const losses = openLosses();
  for (const name of Object.keys(body)) if (!carriedFields.has(name)) losses.addGiven(name);
  const logprobs = flagOf(body["logprobs"]) === true ? (numberOf(body["top_logprobs"]) ?? 0) : null;
  const limit = numberOf(body["max_completion_tokens"]) ?? numberOf(body["max_tokens"]);
  const request: CanonicalRequest = {
    model: textOf(body["model"]) || (path.model ?? ""),
    items: parseMessages(listOf(body["messages"]), losses),
    tools: [...parseTools(body), ...parseSearch(body)],
    toolChoice: parseChoice(body),
    parallelToolCalls: flagOf(body["parallel_tool_calls"]),
    limits: {
      maxOutputTokens: limit === 0 ? null : limit,
      stopSequences: textsOf(body["stop"]),
      count: numberOf(body["n"]) ?? 1,
    },
    sampling: {
      ...defaultSampling,
      temperature: numberOf(body["temperature"]),
      topP: numberOf(body["top_p"]),
      topK: numberOf(body["top_k"]),
      seed: numberOf(body["seed"]),
      presencePenalty: numberOf(body["presence_penalty"]),
      frequencyPenalty: numberOf(body["frequency_penalty"]),
      logitBias: parseBias(body),
      logprobs,
    },
    reasoning: parseReasoning(body),
    output: parseShape(asObject(body["response_format"])),
    media: parseMedia(body),
    hints: {
      ...noHints,
      endUser: textOf(body["safety_identifier"]) || textOf(body["user"]),
      cacheKey: textOf(body["prompt_cache_key"]),
      serviceTier: openAiHint(textOf(body["service_tier"])),
      verbosity: parseVerbosity(body),
      metadata: asObject(body["metadata"]) ?? null,
      store: flagOf(body["store"]),
    },
    stream: path.stream,
  };
  return { request, losses: losses.names };
}

function parseTools(body: JsonObject): readonly Tool[] {
  const legacy = listOf(body["functions"]).map((each) => ({ type: "function", function: each }));
  return [...listOf(body["tools"]), ...legacy].flatMap((each): readonly Tool[] => {
    const tool = objectOf(each);
    const type = textOf(tool["type"]) || "function";
    if (type === "custom") {
      const { name, description, format } = objectOf(tool["custom"]);
      const grammar = asObject(format) ?? null;
      return [{ type: "custom", name: textOf(name), description: textOf(description), grammar }];
    }
    if (type !== "function") {
      const meaning = type.endsWith("web_search") ? readSearch(tool) : null;
      return [{ type: "hosted", kind: type, name: type, raw: tool, meaning }];
    }
    const { name, description, parameters, strict } = objectOf(tool["function"]);
    const mark = asObject(tool["cache_control"]);
    return [
      {
        type: "function",
        name: textOf(name),
        description: textOf(description),
        parameters: asObject(parameters) ?? null,
        strict: flagOf(strict),
        cache: mark === undefined ? null : { ttl: null },
      },
    ];
  });
}

/** Reads the search that models for it make. */
function parseSearch(body: JsonObject): readonly Tool[] {
  const raw = asObject(body["web_search_options"]);
  if (raw === undefined) return [];
  const kind = "web_search_options";
  return [{ type: "hosted", kind, name: "web_search", raw, meaning: readSearch(raw) }];
}

function readSearch(options: JsonObject): HostedMeaning {
  const { search_context_size: size } = options;
  return {
    type: "web-search",
    allowedDomains: textsOf(objectOf(options["filters"])["allowed_domains"]),
    blockedDomains: [],
    place: readPlace(options["user_location"]),
    contextSize: size === "low" || size === "medium" || size === "high" ? size : "",
    usesMax: null,
  };
}

function parseChoice(body: JsonObject): ToolChoice | null {
  const choice = body["tool_choice"] ?? body["function_call"];
  if (typeof choice === "string") {
    if (choice === "any") return { type: "required" };
    return choice === "auto" || choice === "none" || choice === "required"
      ? { type: choice }
      : null;
  }
  const named = asObject(choice);
  if (named === undefined) return null;
  if (named["type"] === "allowed_tools") {
    const { mode, tools } = objectOf(named["allowed_tools"]);
    const names = listOf(tools).map((tool) => nameOf(objectOf(tool)));
    return { type: "subset", names, isRequired: mode === "required" };
  }
  const type = textOf(named["type"]);
  const name = nameOf(named) || (type === "function" || type === "custom" ? "" : type);
  return name === "" ? null : { type: "tool", name };
}

/** Returns the name in a reference to a tool; older requests have it at the top. */
function nameOf(reference: JsonObject): string {
  const { function: called, custom, name } = reference;
  return textOf(objectOf(called)["name"]) || textOf(objectOf(custom)["name"]) || textOf(name);
}

function parseBias(body: JsonObject): Readonly<Record<string, number>> | null {
  const given = asObject(body["logit_bias"]);
  if (given === undefined) return null;
  const bias = Object.entries(given).flatMap(([token, value]) => {
    const number = numberOf(value);
    return number === null ? [] : [[token, number] as const];
  });
  return bias.length === 0 ? null : Object.fromEntries(bias);
}

/** Reads OpenAI's effort and what other vendors of this format offer instead. */
function parseReasoning(body: JsonObject): Reasoning | null {
  const { effort, max_tokens: tokens, exclude, enabled } = objectOf(body["reasoning"]);
  const { type, budget_tokens: budget } = objectOf(body["thinking"]);
  const named: Effort | null =
    readEffort(textOf(body["reasoning_effort"])) ?? readEffort(textOf(effort));
  const isOff = body["enable_thinking"] === false || type === "disabled" || enabled === false;
  const budgetTokens = numberOf(tokens) ?? numberOf(budget) ?? numberOf(body["thinking_budget"]);
  const isOn = body["enable_thinking"] === true || type === "enabled" || enabled === true;
  if (named === null && budgetTokens === null && !isOff && !isOn) return null;
  return {
    effort: isOff ? "none" : (named ?? (budgetTokens === null ? "medium" : null)),
    budgetTokens: isOff ? null : budgetTokens,
    visible: exclude === true ? false : null,
  };
}

function parseShape(format: JsonObject | undefined): OutputShape | null {
  if (format?.["type"] === "json_object") {
    const schema = asObject(format["schema"]);
    if (schema === undefined) return { type: "json" };
    return { type: "json-schema", name: "", description: "", schema, strict: null };
  }
  if (format?.["type"] !== "json_schema") return null;
  const { name, description, schema, strict } = objectOf(format["json_schema"]);
  return {
    type: "json-schema",
    name: textOf(name),
    description: textOf(description),
    schema: asObject(schema) ?? { type: "object" },
    strict: flagOf(strict),
  };
}

function parseMedia(body: JsonObject): MediaOutput | null {
  const kinds = textsOf(body["modalities"]).flatMap((kind): readonly ("audio" | "image")[] =>
    kind === "audio" || kind === "image" ? [kind] : [],
  );
  if (kinds.length === 0) return null;
  const { voice, format } = objectOf(body["audio"]);
  return { kinds, voice: textOf(voice), audioFormat: textOf(format) };
}

function parseVerbosity({ verbosity }: JsonObject): "" | "high" | "low" | "medium" {
  return verbosity === "low" || verbosity === "medium" || verbosity === "high" ? verbosity : "";
}
