/**
 * Writes a canonical request as a request to DashScope's text and multimodal generation.
 * Documents: https://help.aliyun.com/zh/model-studio/qwen-api-via-dashscope (read 2026-11-23).
 */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalRequest, OutputShape } from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { type Losses, openLosses } from "#formats/shared/losses.ts";
import { defined } from "#formats/shared/read-json.ts";
import { writeThinkingSwitch } from "#formats/shared/upstream/dashscope-thinking.ts";
import { multimodalModel } from "#formats/shared/upstream/dashscope-models.ts";
import { finishBody, loseSettings } from "#formats/shared/upstream/finish-body.ts";
import { writeFunctionTools } from "#formats/shared/upstream/function-tools.ts";
import { refuseMedia } from "#formats/shared/upstream/media-limits.ts";
import { refuseMediaOutput, refuseSeveral } from "#formats/shared/upstream/refuse.ts";
import type { Quirks, WrittenRequest } from "#formats/translation.ts";
import { writeMessages } from "./write-messages.ts";

export function writeRequest(
  request: CanonicalRequest,
  quirks: Quirks,
): BodyRefusal | WrittenRequest {
  const refused =
    refuseSeveral(request) ??
    refuseMediaOutput(request) ??
    refuseMedia(request, { kinds: ["audio", "image", "video"], urls: true });
  if (refused !== undefined) return refused;
  const losses = openLosses();
  loseSettings(request, ["topK", "seed", "presencePenalty", "logprobs"], losses);
  const takesParts = multimodalModel.test(quirks.baseModel ?? request.model);
  const fields = {
    model: request.model,
    input: { messages: writeMessages(request, takesParts, losses) },
    parameters: writeParameters(request, losses),
  };
  return finishBody(fields, quirks, losses);
}

function writeParameters(request: CanonicalRequest, losses: Losses): JsonObject {
  const { limits, output, parallelToolCalls, sampling, stream } = request;
  const tools = writeFunctionTools(request, losses);
  const { logprobs } = sampling;
  return defined({
    result_format: "message",
    incremental_output: stream ? true : undefined,
    max_tokens: limits.maxOutputTokens ?? undefined,
    temperature: sampling.temperature ?? undefined,
    top_p: sampling.topP ?? undefined,
    top_k: sampling.topK ?? undefined,
    seed: sampling.seed ?? undefined,
    presence_penalty: sampling.presencePenalty ?? undefined,
    stop: limits.stopSequences.length === 0 ? undefined : limits.stopSequences,
    logprobs: logprobs === null ? undefined : true,
    top_logprobs: logprobs === null || logprobs === 0 ? undefined : logprobs,
    response_format: output === null ? undefined : writeShape(output),
    ...writeThinkingSwitch(request, losses),
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: tools.length === 0 ? undefined : writeChoice(request, losses),
    parallel_tool_calls: tools.length === 0 ? undefined : (parallelToolCalls ?? undefined),
  });
}

function writeShape(shape: OutputShape): JsonObject {
  if (shape.type === "json") return { type: "json_object" };
  const { name, schema, strict } = shape;
  const json_schema = { name: name || "answer", schema, ...(strict === null ? {} : { strict }) };
  return { type: "json_schema", json_schema };
}

/** The format can force one tool, but has no word for any tool. */
function writeChoice({ toolChoice, tools }: CanonicalRequest, losses: Losses): Json | undefined {
  const forced = (name: string) => ({ type: "function", function: { name } });
  const [only] = tools;
  switch (toolChoice?.type) {
    case "tool":
      return forced(toolChoice.name);
    case "none":
      return "none";
    case "auto":
      return "auto";
    case "required":
      if (tools.length === 1 && only?.type === "function") return forced(only.name);
      losses.add("tool_choice");
      return undefined;
    case "subset":
      losses.addIf(toolChoice.isRequired, "tool_choice");
      return undefined;
    default:
      return undefined;
  }
}
