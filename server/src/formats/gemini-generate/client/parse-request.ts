/** Parses a generateContent request into the canonical form. */

import type { JsonObject } from "#base/json.ts";
import {
  type CanonicalRequest,
  defaultSampling,
  type HostedMeaning,
  type MediaOutput,
  noHints,
  type OutputShape,
  type Reasoning,
  type Tool,
  type ToolChoice,
} from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { field } from "#formats/gemini-generate/wire.ts";
import { openLosses } from "#formats/shared/losses.ts";
import { lowerSchema } from "#formats/shared/lower-schema.ts";
import {
  asObject,
  listOf,
  numberOf,
  objectOf,
  textOf,
  textsOf,
} from "#formats/shared/read-json.ts";
import { readEffort } from "#formats/shared/reasoning.ts";
import { geminiHint } from "#formats/shared/tiers/service-tiers.ts";
import type { ParsedRequest, TranslatedPath } from "#formats/translation.ts";
import { parseContents, parseSystem } from "./parse-contents.ts";

/** Fields that are carried, and fields whose absence changes nothing. */
export const carriedFields: ReadonlySet<string> = new Set([
  "contents",
  "generationConfig",
  "generation_config",
  "labels",
  "model",
  "serviceTier",
  "service_tier",
  "store",
  "systemInstruction",
  "system_instruction",
  "toolConfig",
  "tool_config",
  "tools",
]);

/** Settings of the generation that are carried. */
const carriedSettings: ReadonlySet<string> = new Set([
  "candidateCount",
  "frequencyPenalty",
  "logprobs",
  "maxOutputTokens",
  "presencePenalty",
  "responseJsonSchema",
  "responseLogprobs",
  "responseMimeType",
  "responseModalities",
  "responseSchema",
  "seed",
  "stopSequences",
  "temperature",
  "thinkingConfig",
  "topK",
  "topP",
]);

export function parseRequest(body: JsonObject, path: TranslatedPath): BodyRefusal | ParsedRequest {
  const cached = textOf(field(body, "cachedContent"));
  if (cached !== "") {
    const message = "cachedContent is not available for this model: send the whole conversation";
    return { code: "unsupported_parameter", param: "cachedContent", message };
  }
  const losses = openLosses();
  for (const name of Object.keys(body)) if (!carriedFields.has(name)) losses.addGiven(name);
  const config = objectOf(field(body, "generationConfig"));
  for (const name of Object.keys(config)) {
    const camel = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (!carriedSettings.has(camel)) losses.addGiven(camel, "generationConfig.");
  }
  const isLogging = field(config, "responseLogprobs") === true;
  const request: CanonicalRequest = {
    model: path.model ?? textOf(body["model"]),
    items: [
      ...parseSystem(field(body, "systemInstruction")),
      ...parseContents(listOf(body["contents"]), losses),
    ],
    tools: parseTools(body),
    toolChoice: parseChoice(body),
    parallelToolCalls: null,
    limits: {
      maxOutputTokens: numberOf(field(config, "maxOutputTokens")),
      stopSequences: textsOf(field(config, "stopSequences")),
      count: numberOf(field(config, "candidateCount")) ?? 1,
    },
    sampling: {
      ...defaultSampling,
      temperature: numberOf(config["temperature"]),
      topP: numberOf(field(config, "topP")),
      topK: numberOf(field(config, "topK")),
      seed: numberOf(config["seed"]),
      presencePenalty: numberOf(field(config, "presencePenalty")),
      frequencyPenalty: numberOf(field(config, "frequencyPenalty")),
      logprobs: isLogging ? (numberOf(config["logprobs"]) ?? 0) : null,
    },
    reasoning: parseReasoning(asObject(field(config, "thinkingConfig"))),
    output: parseShape(config),
    media: parseMedia(config),
    hints: { ...noHints, serviceTier: geminiHint(textOf(field(body, "serviceTier"))) },
    stream: path.stream,
  };
  return { request, losses: losses.names };
}

function parseTools(body: JsonObject): readonly Tool[] {
  return listOf(body["tools"]).flatMap((each): readonly Tool[] => {
    const tool = objectOf(each);
    const functions = listOf(field(tool, "functionDeclarations")).map((declaration): Tool =>
      parseFunction(objectOf(declaration)),
    );
    const hosted = Object.keys(tool)
      .filter((name) => name !== "functionDeclarations" && name !== "function_declarations")
      .map((kind): Tool => {
        return { type: "hosted", kind, name: kind, raw: tool, meaning: meaningOf(kind, tool) };
      });
    return [...functions, ...hosted];
  });
}

/** Returns what a tool of Google's does in words that other formats share; null: they have none. */
function meaningOf(kind: string, tool: JsonObject): HostedMeaning | null {
  const name = kind.replaceAll("_", "").toLowerCase();
  if (name === "codeexecution") return { type: "code-execution" };
  if (name !== "googlesearch" && name !== "googlesearchretrieval") return null;
  return {
    type: "web-search",
    allowedDomains: [],
    blockedDomains: textsOf(field(objectOf(tool[kind]), "excludeDomains")),
    place: null,
    contextSize: "",
    usesMax: null,
  };
}

function parseFunction(declaration: JsonObject): Tool {
  const schema =
    asObject(field(declaration, "parametersJsonSchema")) ?? asObject(declaration["parameters"]);
  return {
    type: "function",
    name: textOf(declaration["name"]),
    description: textOf(declaration["description"]),
    parameters: schema === undefined ? null : lowerSchema(schema),
    strict: null,
    cache: null,
  };
}

function parseChoice(body: JsonObject): ToolChoice | null {
  const config = objectOf(field(objectOf(field(body, "toolConfig")), "functionCallingConfig"));
  const names = textsOf(field(config, "allowedFunctionNames"));
  const [only] = names;
  switch (textOf(config["mode"]).toUpperCase()) {
    case "AUTO":
    case "VALIDATED":
      return names.length === 0 ? { type: "auto" } : { type: "subset", names, isRequired: false };
    case "NONE":
      return { type: "none" };
    case "ANY":
      if (only !== undefined && names.length === 1) return { type: "tool", name: only };
      return names.length === 0
        ? { type: "required" }
        : { type: "subset", names, isRequired: true };
    default:
      return null;
  }
}

function parseReasoning(config: JsonObject | undefined): Reasoning | null {
  if (config === undefined) return null;
  const visible = field(config, "includeThoughts") === true ? true : null;
  const effort = readEffort(textOf(field(config, "thinkingLevel")));
  const budget = numberOf(field(config, "thinkingBudget"));
  if (budget === 0) return { effort: "none", budgetTokens: null, visible };
  // -1 lets the model decide.
  const budgetTokens = budget !== null && budget > 0 ? budget : null;
  if (effort === null && budgetTokens === null && visible === null && budget === null) return null;
  const isOpen = effort === null && budgetTokens === null;
  return { effort: isOpen ? "medium" : effort, budgetTokens, visible };
}

function parseShape(config: JsonObject): OutputShape | null {
  const schema =
    asObject(field(config, "responseJsonSchema")) ?? asObject(field(config, "responseSchema"));
  if (schema !== undefined) {
    const lowered = lowerSchema(schema);
    return { type: "json-schema", name: "", description: "", schema: lowered, strict: null };
  }
  return textOf(field(config, "responseMimeType")) === "application/json" ? { type: "json" } : null;
}

function parseMedia(config: JsonObject): MediaOutput | null {
  const kinds = textsOf(field(config, "responseModalities")).flatMap(
    (kind): readonly ("audio" | "image")[] => {
      const name = kind.toLowerCase();
      return name === "audio" || name === "image" ? [name] : [];
    },
  );
  return kinds.length === 0 ? null : { kinds, voice: "", audioFormat: "" };
}
