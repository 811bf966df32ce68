/** Parses a Messages request into the canonical form. */

import type { JsonObject } from "#base/json.ts";
import {
  type CanonicalRequest,
  defaultSampling,
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
import { readEffort } from "#formats/shared/reasoning.ts";
import { anthropicHint } from "#formats/shared/tiers/service-tiers.ts";
import { readBreakpoint } from "#formats/anthropic-messages/wire.ts";
import type { ParsedRequest, TranslatedPath } from "#formats/translation.ts";
import { parseHosted, parseServers } from "./parse-hosted.ts";
import { parseMessages, parseSystem } from "./parse-messages.ts";

/** Fields that are carried, and fields whose absence changes nothing. */
export const carriedFields: ReadonlySet<string> = new Set([
  "max_tokens",
  "mcp_servers",
  "messages",
  "metadata",
  "model",
  "output_config",
  "output_format",
  "service_tier",
  "speed",
  "stop_sequences",
  "stream",
  "system",
  "temperature",
  "thinking",
  "tool_choice",
  "tools",
  "top_k",
  "top_p",
]);

export function parseRequest(body: JsonObject, path: TranslatedPath): BodyRefusal | ParsedRequest {
  const losses = openLosses();
  for (const name of Object.keys(body)) if (!carriedFields.has(name)) losses.addGiven(name);
  const choice = objectOf(body["tool_choice"]);
  const config = objectOf(body["output_config"]);
  const request: CanonicalRequest = {
    model: textOf(body["model"]) || (path.model ?? ""),
    items: [...parseSystem(body["system"]), ...parseMessages(listOf(body["messages"]), losses)],
    tools: [
      ...listOf(body["tools"]).flatMap((tool) => parseTool(objectOf(tool))),
      ...parseServers(body),
    ],
    toolChoice: parseChoice(choice),
    parallelToolCalls: flagOf(choice["disable_parallel_tool_use"]) === true ? false : null,
    limits: {
      maxOutputTokens: numberOf(body["max_tokens"]),
      stopSequences: textsOf(body["stop_sequences"]),
      count: 1,
    },
    sampling: {
      ...defaultSampling,
      temperature: numberOf(body["temperature"]),
      topP: numberOf(body["top_p"]),
      topK: numberOf(body["top_k"]),
    },
    reasoning: parseReasoning(objectOf(body["thinking"]), textOf(config["effort"])),
    output: parseShape(asObject(config["format"]) ?? asObject(body["output_format"])),
    media: null,
    hints: {
      ...noHints,
      endUser: textOf(objectOf(body["metadata"])["user_id"]),
      serviceTier: anthropicHint(body),
    },
    stream: path.stream,
  };
  return { request, losses: losses.names };
}

function parseTool(tool: JsonObject): readonly Tool[] {
  const schema = asObject(tool["input_schema"]);
  const type = textOf(tool["type"]) || "custom";
  // Tools that Anthropic runs or defines have a dated type and no schema.
  if (schema === undefined && type !== "custom") return parseHosted(type, tool);
  return [
    {
      type: "function",
      name: textOf(tool["name"]),
      description: textOf(tool["description"]),
      parameters: schema ?? null,
      strict: flagOf(tool["strict"]),
      cache: readBreakpoint(tool),
    },
  ];
}

function parseChoice(choice: JsonObject): ToolChoice | null {
  switch (choice["type"]) {
    case "auto":
      return { type: "auto" };
    case "any":
      return { type: "required" };
    case "none":
      return { type: "none" };
    case "tool":
      return { type: "tool", name: textOf(choice["name"]) };
    default:
      return null;
  }
}

function parseReasoning(thinking: JsonObject, effortWord: string): Reasoning | null {
  const effort = readEffort(effortWord);
  switch (thinking["type"]) {
    case "enabled": {
      const visible = thinking["display"] === "omitted" ? false : true;
      return { effort: null, budgetTokens: numberOf(thinking["budget_tokens"]) ?? 1_024, visible };
    }
    case "adaptive":
      return { effort: effort ?? "medium", budgetTokens: null, visible: true };
    case "disabled":
      return { effort: "none", budgetTokens: null, visible: null };
    default:
      return effort === null ? null : { effort, budgetTokens: null, visible: null };
  }
}

function parseShape(format: JsonObject | undefined): OutputShape | null {
  const schema = asObject(format?.["schema"]);
  if (schema === undefined) return null;
  return { type: "json-schema", name: "", description: "", schema, strict: true };
}
