/** Parses a Responses request into the canonical form. */

import type { JsonObject } from "#base/json.ts";
import {
  type CanonicalRequest,
  defaultSampling,
  noHints,
  type OutputShape,
  type Reasoning,
  type ToolChoice,
} from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { openLosses } from "#formats/shared/losses.ts";
import { asObject, flagOf, listOf, numberOf, objectOf, textOf } from "#formats/shared/read-json.ts";
import { readEffort } from "#formats/shared/reasoning.ts";
import { openAiHint } from "#formats/shared/tiers/service-tiers.ts";
import type { ParsedRequest, TranslatedPath } from "#formats/translation.ts";
import { parseInput } from "./parse-input.ts";
import { hostedName } from "./parse-hosted.ts";
import { fullName, parseTools } from "./parse-tools.ts";

/** Fields that are carried, and fields whose absence changes nothing. */
export const carriedFields: ReadonlySet<string> = new Set([
  "client_metadata",
  "include",
  "input",
  "instructions",
  "max_output_tokens",
  "metadata",
  "model",
  "parallel_tool_calls",
  "prompt_cache_key",
  "reasoning",
  "safety_identifier",
  "service_tier",
  "store",
  "stream",
  "stream_options",
  "temperature",
  "text",
  "tool_choice",
  "tools",
  "top_logprobs",
  "top_p",
  "truncation",
  "user",
]);

/** Fields that continue a conversation which only the provider knows, so the answer would be wrong. */
const refusedFields = ["background", "conversation", "previous_response_id", "prompt"] as const;

export function parseRequest(body: JsonObject, path: TranslatedPath): BodyRefusal | ParsedRequest {
  for (const param of refusedFields) {
    const value = body[param];
    if (value === undefined || value === null || value === false) continue;
    return {
      code: "unsupported_parameter",
      param,
      message: `${param} is not available for this model: send the whole conversation as input`,
    };
  }
  const losses = openLosses();
  for (const [name, value] of Object.entries(body)) {
    if (value !== null && !carriedFields.has(name)) losses.addGiven(name);
  }
  losses.addIf(body["truncation"] === "auto", "truncation");
  const text = objectOf(body["text"]);
  const instructions = textOf(body["instructions"]);
  const includesLogprobs = listOf(body["include"]).includes("message.output_text.logprobs");
  const logprobs = includesLogprobs ? (numberOf(body["top_logprobs"]) ?? 0) : null;
  const { verbosity } = text;
  const request: CanonicalRequest = {
    model: textOf(body["model"]) || (path.model ?? ""),
    items: parseInput(instructions, body["input"], losses),
    tools: parseTools(body),
    toolChoice: parseChoice(body),
    parallelToolCalls: flagOf(body["parallel_tool_calls"]),
    limits: {
      maxOutputTokens: numberOf(body["max_output_tokens"]),
      stopSequences: [],
      count: 1,
    },
    sampling: {
      ...defaultSampling,
      temperature: numberOf(body["temperature"]),
      topP: numberOf(body["top_p"]),
      logprobs,
    },
    reasoning: parseReasoning(objectOf(body["reasoning"])),
    output: parseShape(objectOf(text["format"])),
    media: null,
    hints: {
      ...noHints,
      endUser: textOf(body["safety_identifier"]) || textOf(body["user"]),
      cacheKey: textOf(body["prompt_cache_key"]),
      serviceTier: openAiHint(textOf(body["service_tier"])),
      verbosity:
        verbosity === "low" || verbosity === "medium" || verbosity === "high" ? verbosity : "",
      metadata: asObject(body["metadata"]) ?? null,
      store: flagOf(body["store"]),
    },
    stream: path.stream,
  };
  return { request, losses: losses.names };
}

function parseChoice(body: JsonObject): ToolChoice | null {
  const choice = body["tool_choice"];
  if (choice === "auto" || choice === "none" || choice === "required") return { type: choice };
  const given = asObject(choice);
  if (given === undefined) return null;
  if (given["type"] === "allowed_tools") {
    const names = listOf(given["tools"]).map((tool) => chosenName(objectOf(tool)));
    return { type: "subset", names, isRequired: given["mode"] === "required" };
  }
  const name = chosenName(given);
  return name === "" ? null : { type: "tool", name };
}

/** Returns the name of the tool that a choice means. One that the provider runs is named by its type. */
function chosenName(choice: JsonObject): string {
  const { name, namespace, function: called, type } = choice;
  const kind = textOf(type);
  if (kind !== "" && kind !== "function" && kind !== "custom") return hostedName(kind);
  return fullName(textOf(name) || textOf(objectOf(called)["name"]), textOf(namespace));
}

function parseReasoning(reasoning: JsonObject): Reasoning | null {
  const effort = readEffort(textOf(reasoning["effort"]));
  const { summary } = reasoning;
  const visible = typeof summary === "string" && summary !== "none" ? true : null;
  if (effort === null && visible === null) return null;
  return { effort: effort ?? "medium", budgetTokens: null, visible };
}

function parseShape(format: JsonObject): OutputShape | null {
  if (format["type"] === "json_object") return { type: "json" };
  if (format["type"] !== "json_schema") return null;
  return {
    type: "json-schema",
    name: textOf(format["name"]),
    description: textOf(format["description"]),
    schema: asObject(format["schema"]) ?? { type: "object" },
    strict: flagOf(format["strict"]),
  };
}
