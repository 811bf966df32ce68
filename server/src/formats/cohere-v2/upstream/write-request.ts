/**
 * Writes a canonical request as a request to Cohere's /v2/chat.
 * Documents: https://docs.cohere.com/reference/chat (read 2026-11-23).
 */

import type { JsonObject } from "#base/json.ts";
import type { CanonicalRequest, OutputShape, ToolChoice } from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { finishBody, loseSettings } from "#formats/shared/upstream/finish-body.ts";
import { writeFunctionTools } from "#formats/shared/upstream/function-tools.ts";
import { openLosses } from "#formats/shared/losses.ts";
import { refuseMedia } from "#formats/shared/upstream/media-limits.ts";
import { defined } from "#formats/shared/read-json.ts";
import { effortOf } from "#formats/shared/reasoning.ts";
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
    refuseMedia(request, { kinds: ["image"], urls: true });
  if (refused !== undefined) return refused;
  const losses = openLosses();
  const { limits, output, sampling, toolChoice } = request;
  const tools = writeFunctionTools(narrowed(request), losses);
  losses.addIf(request.parallelToolCalls === false && tools.length > 0, "parallel_tool_calls");
  loseSettings(
    request,
    // Its probabilities are of pieces of several tokens, which no other format has.
    ["topK", "seed", "presencePenalty", "frequencyPenalty"],
    losses,
  );
  const fields = {
    model: request.model,
    messages: writeMessages(request, losses),
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: tools.length === 0 ? undefined : writeChoice(toolChoice),
    response_format: output === null ? undefined : writeShape(output),
    max_tokens: limits.maxOutputTokens ?? undefined,
    stop_sequences: limits.stopSequences.length === 0 ? undefined : limits.stopSequences,
    temperature: sampling.temperature ?? undefined,
    p: sampling.topP ?? undefined,
    k: sampling.topK ?? undefined,
    seed: sampling.seed ?? undefined,
    presence_penalty: sampling.presencePenalty ?? undefined,
    frequency_penalty: sampling.frequencyPenalty ?? undefined,
    thinking: writeThinking(request),
    stream: request.stream,
  };
  return finishBody(fields, quirks, losses);
}

/** A forced tool has no word here: it is the only one that is offered. */
function narrowed(request: CanonicalRequest): CanonicalRequest {
  const { toolChoice } = request;
  if (toolChoice?.type !== "tool") return request;
  return { ...request, toolChoice: { type: "subset", names: [toolChoice.name], isRequired: true } };
}

function writeChoice(choice: ToolChoice | null): "NONE" | "REQUIRED" | undefined {
  switch (choice?.type) {
    case "none":
      return "NONE";
    case "required":
    case "tool":
      return "REQUIRED";
    case "subset":
      return choice.isRequired ? "REQUIRED" : undefined;
    default:
      return undefined;
  }
}

function writeShape(shape: OutputShape): JsonObject {
  if (shape.type === "json") return { type: "json_object" };
  return { type: "json_object", json_schema: shape.schema };
}

function writeThinking({ reasoning }: CanonicalRequest): JsonObject | undefined {
  const effort = reasoning === null ? null : effortOf(reasoning);
  if (reasoning === null || effort === null) return undefined;
  if (effort === "none") return { type: "disabled" };
  return defined({ type: "enabled", token_budget: reasoning.budgetTokens ?? undefined });
}
