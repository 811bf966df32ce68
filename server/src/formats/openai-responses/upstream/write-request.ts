/** Writes a canonical request as a Responses request. */

import type { Json, JsonObject } from "#base/json.ts";
import type {
  CanonicalRequest,
  HostedMeaning,
  OutputShape,
  Tool,
  ToolChoice,
} from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { chosenMeaning, meaningsOf } from "#formats/shared/hosted/hosted-tools.ts";
import { finishBody } from "#formats/shared/upstream/finish-body.ts";
import { type Losses, openLosses } from "#formats/shared/losses.ts";
import { defined } from "#formats/shared/read-json.ts";
import { isThinkingModel, thinksAbout } from "#formats/shared/upstream/openai-thinking.ts";
import { refuseSeveral } from "#formats/shared/upstream/refuse.ts";
import { effortOf } from "#formats/shared/reasoning.ts";
import { strictOf } from "#formats/shared/fit/strict-schema.ts";
import { writeOpenAiTier } from "#formats/shared/tiers/service-tiers.ts";
import type { Quirks, WrittenRequest } from "#formats/translation.ts";
import { typeOf, writeHosted } from "./write-hosted.ts";
import { type Input, writeInput } from "./write-input.ts";

/** The smallest output limit that the format takes. */
const outputTokensMin = 16;

export function writeRequest(
  request: CanonicalRequest,
  quirks: Quirks,
): BodyRefusal | WrittenRequest {
  const refused = refuseSeveral(request);
  if (refused !== undefined) return refused;
  const losses = openLosses();
  const model = quirks.baseModel ?? request.model;
  const input = writeInput(request, losses);
  const tools = writeTools(request, losses);
  const { limits, hints } = request;
  const limit = limits.maxOutputTokens;
  losses.addIf(limit !== null && limit < outputTokensMin, "max_tokens");
  losses.addIf(request.media !== null, "modalities");
  const fields = {
    model: request.model,
    instructions: input.instructions || undefined,
    input: input.items,
    max_output_tokens: limit === null ? undefined : Math.max(outputTokensMin, limit),
    ...writeSampling(request, thinksAbout(model, request.reasoning), losses),
    ...writeReasoning(request, isThinkingModel(model), input),
    text: writeText(request, losses),
    ...(tools.length === 0
      ? {}
      : {
          tools,
          tool_choice:
            request.toolChoice === null ? undefined : writeChoice(request, request.toolChoice),
          parallel_tool_calls: request.parallelToolCalls ?? undefined,
        }),
    safety_identifier: hints.endUser || undefined,
    prompt_cache_key: hints.cacheKey || undefined,
    service_tier: writeOpenAiTier(request, losses),
    // The gateway's clients send their whole conversation, so the provider need not keep it.
    store: false,
    stream: request.stream ? true : undefined,
  };
  return finishBody(fields, quirks, losses);
}

function writeSampling({ sampling }: CanonicalRequest, thinks: boolean, losses: Losses) {
  const { temperature, topP, logprobs } = sampling;
  losses.addIf(sampling.topK !== null, "top_k");
  losses.addIf(sampling.seed !== null, "seed");
  losses.addIf(sampling.presencePenalty !== null, "presence_penalty");
  losses.addIf(sampling.frequencyPenalty !== null, "frequency_penalty");
  losses.addIf(sampling.logitBias !== null, "logit_bias");
  losses.addIf(thinks && temperature !== null && temperature !== 1, "temperature");
  losses.addIf(thinks && topP !== null && topP !== 1, "top_p");
  losses.addIf(thinks && logprobs !== null, "logprobs");
  if (thinks) return {};
  return {
    temperature: temperature ?? undefined,
    top_p: topP ?? undefined,
    top_logprobs: logprobs ?? undefined,
  };
}

/**
 * Asks for reasoning, and for the encrypted reasoning that a later turn has to bring along. It is
 * not asked for in a conversation whose earlier calls came without it, because the provider refuses
 * such a mixture.
 */
function writeReasoning(
  request: CanonicalRequest,
  thinks: boolean,
  { unsignedCalls }: Input,
): Readonly<Record<string, Json | undefined>> {
  const { reasoning, sampling } = request;
  const effort = reasoning === null ? null : effortOf(reasoning);
  const isAsked = effort !== null && (thinks || effort !== "none");
  const summary = reasoning?.visible === true ? "auto" : undefined;
  const include = [
    ...(thinks && !unsignedCalls ? ["reasoning.encrypted_content"] : []),
    ...(!thinks && sampling.logprobs !== null ? ["message.output_text.logprobs"] : []),
    ...meaningsOf(request).flatMap(({ type }) => resultsOf[type]),
  ];
  return {
    reasoning: isAsked ? defined({ effort, summary }) : undefined,
    include: include.length === 0 ? undefined : include,
  };
}

/** What the answer tells of a tool's results only when it is asked for. */
const resultsOf: Readonly<Record<HostedMeaning["type"], readonly string[]>> = {
  "code-execution": ["code_interpreter_call.outputs"],
  mcp: [],
  "web-search": ["web_search_call.action.sources"],
};

function writeText({ output, hints }: CanonicalRequest, losses: Losses): JsonObject | undefined {
  const format = output === null ? undefined : writeShape(output, losses);
  const verbosity = hints.verbosity || undefined;
  return format === undefined && verbosity === undefined
    ? undefined
    : defined({ format, verbosity });
}

function writeShape(shape: OutputShape, losses: Losses): JsonObject {
  if (shape.type === "json") return { type: "json_object" };
  const { name, description, schema } = shape;
  return defined({
    type: "json_schema",
    name: name === "" ? "answer" : name,
    description: description || undefined,
    schema,
    strict: strictOf(shape.strict, schema, losses) ?? false,
  });
}

function writeTools(request: CanonicalRequest, losses: Losses): readonly JsonObject[] {
  const own = request.tools.flatMap((tool) =>
    tool.type === "hosted" ? [] : [writeTool(tool, losses)],
  );
  return [...own, ...meaningsOf(request).map((meaning) => writeHosted(meaning, losses))];
}

function writeTool(tool: Exclude<Tool, { type: "hosted" }>, losses: Losses): JsonObject {
  const { name, description } = tool;
  if (tool.type === "custom") {
    const format = tool.grammar ?? undefined;
    return defined({ type: "custom", name, description: description || undefined, format });
  }
  return defined({
    type: "function",
    name,
    description: description || undefined,
    parameters: tool.parameters,
    // Strict is this format's default, and of no other.
    strict: strictOf(tool.strict, tool.parameters, losses) ?? false,
  });
}

function writeChoice(request: CanonicalRequest, choice: ToolChoice): Json {
  switch (choice.type) {
    case "tool": {
      const hosted = chosenMeaning(request, choice.name);
      if (hosted === undefined) return { type: "function", name: choice.name };
      const server = hosted.type === "mcp" ? { server_label: hosted.label } : {};
      return { type: typeOf(hosted), ...server };
    }
    case "subset": {
      const tools = choice.names.map((name) => ({ type: "function", name }));
      return { type: "allowed_tools", mode: choice.isRequired ? "required" : "auto", tools };
    }
    default:
      return choice.type;
  }
}
