/** Writes a canonical request as a chat completion request. */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalRequest, OutputShape, ToolChoice } from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { writeFunctionTools } from "#formats/shared/upstream/function-tools.ts";
import { writeThinkingSwitch } from "#formats/shared/upstream/dashscope-thinking.ts";
import { isThinkingModel, thinksAbout } from "#formats/shared/upstream/openai-thinking.ts";
import { type Losses, openLosses } from "#formats/shared/losses.ts";
import { defined } from "#formats/shared/read-json.ts";
import { budgetOf, budgetWithin, effortOf } from "#formats/shared/reasoning.ts";
import { strictOf } from "#formats/shared/fit/strict-schema.ts";
import { refuseSeveral } from "#formats/shared/upstream/refuse.ts";
import { writeOpenAiTier } from "#formats/shared/tiers/service-tiers.ts";
import type { Quirks, WrittenRequest } from "#formats/translation.ts";
import { writeSearch } from "./write-search.ts";
import { writeMessages } from "./write-messages.ts";

/** Sampling parameters that models that think refuse. */
const refusedByThinking: ReadonlySet<string> = new Set([
  "frequency_penalty",
  "logit_bias",
  "logprobs",
  "presence_penalty",
  "temperature",
  "top_logprobs",
  "top_p",
]);

export function writeRequest(
  request: CanonicalRequest,
  quirks: Quirks,
): BodyRefusal | WrittenRequest {
  const refused = refuseSeveral(request);
  if (refused !== undefined) return refused;
  const losses = openLosses();
  const model = quirks.baseModel ?? request.model;
  const thinks = isThinkingModel(model);
  const search = writeSearch(request, quirks, losses);
  const tools = [...writeFunctionTools(request, losses), ...search.tools];
  const fields = {
    model: request.model,
    messages: writeMessages(request, quirks, losses),
    ...writeLimits(request, thinks && quirks.maxTokensOnly !== true),
    ...writeSampling(request, losses),
    ...writeReasoning(request, thinks, quirks, losses),
    ...(tools.length === 0 ? {} : writeToolFields(request, tools, quirks)),
    ...search.fields,
    response_format: request.output === null ? undefined : writeShape(request.output, losses),
    ...writeMediaOutput(request),
    ...writeHints(request, losses),
    ...(request.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
    ...quirks.addedFields,
  };
  const refusedFields = new Set(quirks.refusedFields);
  const isFixed = thinksAbout(model, request.reasoning);
  const body: Record<string, Json> = {};
  for (const [name, value] of Object.entries(defined(fields))) {
    const isRefused = refusedFields.has(name) || (isFixed && refusedByThinking.has(name));
    if (isRefused) losses.addIf(name !== "stream_options", name);
    else body[name] = value;
  }
  return { body, losses: losses.names };
}

function writeLimits({ limits }: CanonicalRequest, isCompletion: boolean) {
  const { maxOutputTokens, stopSequences } = limits;
  const field = isCompletion ? "max_completion_tokens" : "max_tokens";
  return {
    [field]: maxOutputTokens ?? undefined,
    stop: stopSequences.length === 0 ? undefined : stopSequences,
  };
}

function writeSampling({ sampling }: CanonicalRequest, losses: Losses) {
  losses.addIf(sampling.topK !== null, "top_k");
  const { logprobs } = sampling;
  return {
    temperature: sampling.temperature ?? undefined,
    top_p: sampling.topP ?? undefined,
    seed: sampling.seed ?? undefined,
    presence_penalty: sampling.presencePenalty ?? undefined,
    frequency_penalty: sampling.frequencyPenalty ?? undefined,
    logit_bias: sampling.logitBias ?? undefined,
    logprobs: logprobs === null ? undefined : true,
    top_logprobs: logprobs === null || logprobs === 0 ? undefined : logprobs,
  };
}

function writeReasoning(
  request: CanonicalRequest,
  thinks: boolean,
  { thinkingSwitch }: Quirks,
  losses: Losses,
): Readonly<Record<string, Json | undefined>> {
  if (thinkingSwitch === "enable_thinking") return writeThinkingSwitch(request, losses);
  const { reasoning } = request;
  if (reasoning === null) return {};
  const effort = effortOf(reasoning);
  const budget = budgetOf(reasoning);
  switch (thinkingSwitch) {
    case "thinking":
      return { thinking: { type: budget === null ? "disabled" : "enabled" } };
    case "reasoning": {
      if (budget === null) return { reasoning: { enabled: false } };
      if (reasoning.budgetTokens === null) return { reasoning: { effort: effort ?? "medium" } };
      const size = budgetWithin(reasoning, request.limits);
      losses.addIf(size === null, "reasoning");
      return size === null ? {} : { reasoning: { max_tokens: size } };
    }
    default:
      if (thinks && effort !== null) return { reasoning_effort: effort };
      losses.addIf(budget !== null, "reasoning");
      return {};
  }
}

function writeToolFields(
  { toolChoice, parallelToolCalls }: CanonicalRequest,
  tools: readonly JsonObject[],
  { requiredChoice }: Quirks,
) {
  return {
    tools,
    tool_choice:
      toolChoice === null ? undefined : writeChoice(toolChoice, requiredChoice ?? "required"),
    parallel_tool_calls: parallelToolCalls ?? undefined,
  };
}

function writeChoice(choice: ToolChoice, required: "any" | "required"): Json {
  switch (choice.type) {
    case "tool":
      return { type: "function", function: { name: choice.name } };
    case "subset":
      return choice.isRequired ? required : "auto";
    case "required":
      return required;
    default:
      return choice.type;
  }
}

function writeShape(shape: OutputShape, losses: Losses): JsonObject {
  if (shape.type === "json") return { type: "json_object" };
  const { name, description, schema } = shape;
  const strict = strictOf(shape.strict, schema, losses);
  const json_schema = {
    name: name === "" ? "answer" : name,
    ...(description === "" ? {} : { description }),
    schema,
    ...(strict === null ? {} : { strict }),
  };
  return { type: "json_schema", json_schema };
}

function writeMediaOutput({ media }: CanonicalRequest) {
  if (media === null) return {};
  const { kinds, voice, audioFormat } = media;
  const audio = { voice: voice || "alloy", format: audioFormat || "wav" };
  return { modalities: ["text", ...kinds], ...(kinds.includes("audio") ? { audio } : {}) };
}

function writeHints(request: CanonicalRequest, losses: Losses) {
  const { hints } = request;
  return {
    user: hints.endUser || undefined,
    prompt_cache_key: hints.cacheKey || undefined,
    service_tier: writeOpenAiTier(request, losses),
    verbosity: hints.verbosity || undefined,
  };
}
