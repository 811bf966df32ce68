/** Writes a canonical request as a Messages request. */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalRequest, CustomTool, FunctionTool, ToolChoice } from "#canonical/request.ts";
import { emptySchema, writeBreakpoint } from "#formats/anthropic-messages/wire.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { closedSchema } from "#formats/shared/closed-schema.ts";
import { claudeThinking, type ModelRules, rulesOf } from "#formats/shared/upstream/claude-rules.ts";
import { finishBody, loseSettings } from "#formats/shared/upstream/finish-body.ts";
import { callableTools, toolSchema } from "#formats/shared/upstream/function-tools.ts";
import { type Losses, openLosses } from "#formats/shared/losses.ts";
import { chosenMeaning } from "#formats/shared/hosted/hosted-tools.ts";
import { defined } from "#formats/shared/read-json.ts";
import { limitFor } from "#formats/shared/reasoning.ts";
import { tierOf } from "#formats/shared/tiers/service-tiers.ts";
import { refuseMediaOutput, refuseSeveral } from "#formats/shared/upstream/refuse.ts";
import type { Quirks, WrittenRequest } from "#formats/translation.ts";
import { nameOf, writeHosted } from "./write-hosted.ts";
import { type Conversation, writeConversation } from "./write-messages.ts";

/** The name of the tool whose input is the answer, for models that know no structured output. */
export const answerTool = "answer_in_json";

export function writeRequest(
  request: CanonicalRequest,
  quirks: Quirks,
): BodyRefusal | WrittenRequest {
  const refused = refuseSeveral(request) ?? refuseMediaOutput(request);
  if (refused !== undefined) return refused;
  const losses = openLosses();
  const rules = rulesOf(quirks.baseModel ?? request.model);
  const conversation = writeConversation(request, losses);
  const hosted = writeHosted(request, losses);
  const own = callableTools(request).map((tool) => writeTool(tool, losses));
  const tools = [...own, ...hosted.tools];
  const thinking = claudeThinking(request, rules, conversation.unsignedCalls, losses);
  const shape = writeShape(request, rules, tools.length > 0);
  const fields = {
    model: request.model,
    max_tokens: writeLimit(request, rules, thinking.budget),
    system: writeSystem(conversation, shape.instruction),
    messages: conversation.messages,
    stop_sequences:
      request.limits.stopSequences.length === 0 ? undefined : request.limits.stopSequences,
    ...writeSampling(request, rules, thinking.field !== undefined, losses),
    thinking: thinking.field,
    output_config: outputConfig(thinking.effort, shape.format),
    tools: tools.length + shape.tools.length === 0 ? undefined : [...tools, ...shape.tools],
    tool_choice: shape.choice ?? (tools.length === 0 ? undefined : writeChoice(request)),
    mcp_servers: hosted.servers,
    metadata: request.hints.endUser === "" ? undefined : { user_id: request.hints.endUser },
    service_tier: tierOf(request) === "default" ? "standard_only" : undefined,
    stream: request.stream ? true : undefined,
  };
  loseSettings(request, ["topK"], losses);
  return { ...finishBody(fields, quirks, losses), betas: hosted.betas };
}

/** The format requires a limit, and reasoning is a part of it. The client's own is never raised. */
function writeLimit(
  { limits }: CanonicalRequest,
  { outputTokens }: ModelRules,
  budget: number,
): number {
  return limits.maxOutputTokens ?? limitFor(budget, outputTokens);
}

function writeSystem({ system }: Conversation, instruction: string): Json | undefined {
  const added = instruction === "" ? [] : [{ type: "text", text: instruction }];
  const blocks = [...system, ...added];
  return blocks.length === 0 ? undefined : blocks;
}

function writeSampling(
  { sampling }: CanonicalRequest,
  { oneOfTemperatureAndTopP, takesSampling }: ModelRules,
  thinks: boolean,
  losses: Losses,
) {
  const { temperature, topP, topK } = sampling;
  const isFixed = thinks || !takesSampling;
  losses.addIf(isFixed && temperature !== null && temperature !== 1, "temperature");
  losses.addIf(isFixed && topP !== null, "top_p");
  losses.addIf(isFixed && topK !== null, "top_k");
  if (isFixed) return {};
  const both = temperature !== null && topP !== null;
  losses.addIf(both && oneOfTemperatureAndTopP, "top_p");
  return {
    temperature: temperature === null ? undefined : Math.min(1, temperature),
    top_p: topP === null || (both && oneOfTemperatureAndTopP) ? undefined : topP,
    top_k: topK ?? undefined,
  };
}

function outputConfig(
  effort: string | undefined,
  format: JsonObject | undefined,
): JsonObject | undefined {
  if (effort === undefined && format === undefined) return undefined;
  return defined({ effort, format });
}

type Shape = {
  readonly format?: JsonObject;
  readonly tools: readonly JsonObject[];
  readonly choice?: JsonObject;
  readonly instruction: string;
};

/**
 * Asks for structured output. Models without it get a tool whose input is the answer, which they
 * must call; if the client has tools of its own, they get an instruction instead.
 */
function writeShape(
  { output }: CanonicalRequest,
  { structuredOutput }: ModelRules,
  hasTools: boolean,
): Shape {
  if (output === null) return { tools: [], instruction: "" };
  if (output.type === "json") {
    return { tools: [], instruction: "Answer with one JSON object and nothing else." };
  }
  const schema = closedSchema(output.schema);
  if (structuredOutput) {
    return { format: { type: "json_schema", schema }, tools: [], instruction: "" };
  }
  const text = JSON.stringify(output.schema);
  const instruction = `Answer with one JSON object of this JSON Schema and nothing else: ${text}`;
  if (hasTools) return { tools: [], instruction };
  const description = output.description || "Gives the answer.";
  return {
    tools: [{ name: answerTool, description, input_schema: output.schema }],
    choice: { type: "tool", name: answerTool },
    instruction: "",
  };
}

function writeTool(tool: CustomTool | FunctionTool, losses: Losses): JsonObject {
  const { name } = tool;
  const description = tool.description === "" ? {} : { description: tool.description };
  const schema = toolSchema(tool, losses) ?? emptySchema;
  const input_schema = schema["type"] === "object" ? schema : { ...schema, type: "object" };
  const mark = tool.type === "function" ? writeBreakpoint(tool.cache) : {};
  return { name, ...description, input_schema, ...mark };
}

function writeChoice(request: CanonicalRequest): JsonObject | undefined {
  const { toolChoice, parallelToolCalls } = request;
  const alone = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (toolChoice === null) {
    return parallelToolCalls === false ? { type: "auto", ...alone } : undefined;
  }
  if (toolChoice.type === "none") return { type: "none" };
  return { ...choiceOf(request, toolChoice), ...alone };
}

function choiceOf(
  request: CanonicalRequest,
  choice: Exclude<ToolChoice, { type: "none" }>,
): JsonObject {
  switch (choice.type) {
    case "tool": {
      const hosted = chosenMeaning(request, choice.name);
      // The tools of a server cannot be demanded together.
      if (hosted?.type === "mcp") return { type: "any" };
      return { type: "tool", name: hosted === undefined ? choice.name : nameOf(hosted) };
    }
    case "subset":
      return { type: choice.isRequired ? "any" : "auto" };
    default:
      return { type: choice.type === "required" ? "any" : "auto" };
  }
}
