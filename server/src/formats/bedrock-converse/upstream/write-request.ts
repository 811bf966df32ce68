/**
 * Writes a canonical request as a Converse request. The path names the model and whether the answer
 * is streamed.
 * Documents: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (read
 * 2026-11-23).
 */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalRequest, Tool, ToolChoice } from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { type Losses, openLosses } from "#formats/shared/losses.ts";
import { defined } from "#formats/shared/read-json.ts";
import { limitFor } from "#formats/shared/reasoning.ts";
import { tierOf } from "#formats/shared/tiers/service-tiers.ts";
import { claudeThinking, rulesOf } from "#formats/shared/upstream/claude-rules.ts";
import { finishBody, loseSettings } from "#formats/shared/upstream/finish-body.ts";
import { callableTools, toolSchema } from "#formats/shared/upstream/function-tools.ts";
import { refuseMedia } from "#formats/shared/upstream/media-limits.ts";
import { refuseMediaOutput, refuseSeveral } from "#formats/shared/upstream/refuse.ts";
import type { Quirks, WrittenRequest } from "#formats/translation.ts";
import { type Conversation, writeBreakpoint, writeConversation } from "./write-messages.ts";

const carriedTiers = ["flex", "priority"] as const;

/** Matches the ids of Claude models, also of those in other regions. */
const claudeModel = /claude|anthropic/;

export function writeRequest(
  request: CanonicalRequest,
  quirks: Quirks,
): BodyRefusal | WrittenRequest {
  const refused =
    refuseSeveral(request) ??
    refuseMediaOutput(request) ??
    refuseMedia(request, { kinds: ["audio", "file", "image", "video"], urls: false });
  if (refused !== undefined) return refused;
  const losses = openLosses();
  const conversation = writeConversation(request, losses);
  const tools = writeTools(request, conversation, losses);
  const model = quirks.baseModel ?? request.model;
  const own = claudeModel.test(model) ? writeClaude(request, model, conversation, losses) : null;
  losses.addIf(own === null && request.reasoning !== null, "reasoning");
  loseSettings(request, own === null ? [] : ["topK"], losses, carriedTiers);
  const tier = tierOf(request);
  losses.addIf(request.parallelToolCalls === false && tools.length > 0, "parallel_tool_calls");
  const instruction = request.output?.type === "json" ? [jsonInstruction] : [];
  const system = [...conversation.system, ...instruction];
  const config = writeConfig(request, own);
  const fields = {
    messages: conversation.messages,
    system: system.length === 0 ? undefined : system,
    inferenceConfig: Object.keys(config).length === 0 ? undefined : config,
    toolConfig:
      tools.length === 0 ? undefined : defined({ tools, toolChoice: writeChoice(request) }),
    outputConfig: writeShape(request),
    additionalModelRequestFields: own?.fields,
    // Without a word, the tier is the default one.
    serviceTier: tier === "flex" || tier === "priority" ? { type: tier } : undefined,
  };
  return finishBody(fields, quirks, losses);
}

const jsonInstruction: JsonObject = { text: "Answer with one JSON object and nothing else." };

/** What only Claude models take, and the reasoning that is a part of their output limit. */
type ClaudeFields = {
  readonly fields: JsonObject | undefined;
  readonly thinks: boolean;
  readonly budget: number;
  readonly outputTokens: number;
};

function writeClaude(
  request: CanonicalRequest,
  model: string,
  { unsignedCalls }: Conversation,
  losses: Losses,
): ClaudeFields {
  const rules = rulesOf(model);
  const thinking = claudeThinking(request, rules, unsignedCalls, losses);
  const thinks = thinking.field !== undefined;
  const { temperature, topK } = request.sampling;
  losses.addIf(thinks && topK !== null, "top_k");
  losses.addIf(thinks && temperature !== null && temperature !== 1, "temperature");
  const fields = defined({
    thinking: thinking.field,
    output_config: thinking.effort === undefined ? undefined : { effort: thinking.effort },
    top_k: thinks || topK === null ? undefined : topK,
  });
  const { outputTokens } = rules;
  const isEmpty = Object.keys(fields).length === 0;
  return { fields: isEmpty ? undefined : fields, thinks, budget: thinking.budget, outputTokens };
}

function writeConfig(
  { limits, sampling, model }: CanonicalRequest,
  own: ClaudeFields | null,
): JsonObject {
  const { maxOutputTokens, stopSequences } = limits;
  const thinks = own?.thinks === true;
  const both = sampling.temperature !== null && sampling.topP !== null;
  const onlyOne = own !== null && rulesOf(model).oneOfTemperatureAndTopP && both;
  return defined({
    maxTokens: writeLimit(maxOutputTokens, own),
    temperature:
      thinks || sampling.temperature === null ? undefined : Math.min(1, sampling.temperature),
    topP: thinks || onlyOne ? undefined : (sampling.topP ?? undefined),
    stopSequences: stopSequences.length === 0 ? undefined : stopSequences,
  });
}

/** Claude's reasoning is a part of the limit. The client's own limit is never raised. */
function writeLimit(asked: number | null, own: ClaudeFields | null): number | undefined {
  if (own === null || own.budget === 0) return asked ?? undefined;
  return asked ?? limitFor(own.budget, own.outputTokens);
}

function writeShape({ output }: CanonicalRequest): JsonObject | undefined {
  if (output?.type !== "json-schema") return undefined;
  const description = output.description === "" ? {} : { description: output.description };
  const jsonSchema = {
    name: output.name === "" ? "answer" : output.name,
    ...description,
    schema: JSON.stringify(output.schema),
  };
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } };
}

/**
 * Writes the tools. A conversation with calls needs them even if the client offers none any more, so
 * they are made of its calls.
 */
function writeTools(
  request: CanonicalRequest,
  { calledTools }: Conversation,
  losses: Losses,
): readonly JsonObject[] {
  const tools = callableTools(request).flatMap((tool): readonly JsonObject[] => {
    const description = tool.description === "" ? {} : { description: tool.description };
    const schema = toolSchema(tool, losses) ?? {};
    const json = schema["type"] === "object" ? schema : { ...schema, type: "object" };
    const toolSpec = { name: tool.name, ...description, inputSchema: { json } };
    return [{ toolSpec }, ...markOf(tool)];
  });
  if (tools.length > 0) return tools;
  return calledTools.map((name) => ({
    toolSpec: { name, inputSchema: { json: { type: "object" } } },
  }));
}

function markOf(tool: Tool): readonly JsonObject[] {
  return tool.type === "function" ? writeBreakpoint(tool.cache) : [];
}

/** The format has no word for no tool at all; without a choice the model decides. */
function writeChoice({ toolChoice, tools }: CanonicalRequest): Json | undefined {
  return toolChoice === null || tools.length === 0 ? undefined : choiceOf(toolChoice);
}

function choiceOf(choice: ToolChoice): JsonObject | undefined {
  switch (choice.type) {
    case "tool":
      return { tool: { name: choice.name } };
    case "required":
      return { any: {} };
    case "subset":
      return choice.isRequired ? { any: {} } : { auto: {} };
    case "auto":
      return { auto: {} };
    case "none":
      return undefined;
  }
}
