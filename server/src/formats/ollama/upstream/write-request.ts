/**
 * Writes a canonical request as a request to Ollama's /api/chat.
 * Documents: https://docs.ollama.com/api/chat (read 2026-11-23).
 */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalRequest } from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { finishBody, loseSettings } from "#formats/shared/upstream/finish-body.ts";
import { writeFunctionTools } from "#formats/shared/upstream/function-tools.ts";
import { type Losses, openLosses } from "#formats/shared/losses.ts";
import { refuseMedia } from "#formats/shared/upstream/media-limits.ts";
import { defined } from "#formats/shared/read-json.ts";
import { budgetOf, effortOf } from "#formats/shared/reasoning.ts";
import { refuseMediaOutput, refuseSeveral } from "#formats/shared/upstream/refuse.ts";
import type { Quirks, WrittenRequest } from "#formats/translation.ts";
import { writeMessages } from "./write-messages.ts";

/** Matches models that think at levels; others only think or do not. */
const levelModel = /gpt-oss/;

export function writeRequest(
  request: CanonicalRequest,
  quirks: Quirks,
): BodyRefusal | WrittenRequest {
  const refused =
    refuseSeveral(request) ??
    refuseMediaOutput(request) ??
    refuseMedia(request, { kinds: ["image"], urls: false });
  if (refused !== undefined) return refused;
  const losses = openLosses();
  const { output, toolChoice } = request;
  const tools = toolChoice?.type === "none" ? [] : writeFunctionTools(request, losses);
  const isForced =
    toolChoice?.type === "required" ||
    toolChoice?.type === "tool" ||
    (toolChoice?.type === "subset" && toolChoice.isRequired);
  losses.addIf(isForced, "tool_choice");
  losses.addIf(request.parallelToolCalls === false && tools.length > 0, "parallel_tool_calls");
  loseSettings(request, ["topK", "seed", "presencePenalty", "frequencyPenalty"], losses);
  const options = writeOptions(request);
  const fields = {
    model: request.model,
    messages: writeMessages(request, losses),
    tools: tools.length === 0 ? undefined : tools,
    format: output === null ? undefined : output.type === "json" ? "json" : output.schema,
    think: writeThinking(request, losses),
    options: Object.keys(options).length === 0 ? undefined : options,
    // Without the field the answer is streamed.
    stream: request.stream,
  };
  return finishBody(fields, quirks, losses);
}

function writeOptions({ limits, sampling }: CanonicalRequest): JsonObject {
  return defined({
    num_predict: limits.maxOutputTokens ?? undefined,
    temperature: sampling.temperature ?? undefined,
    top_k: sampling.topK ?? undefined,
    top_p: sampling.topP ?? undefined,
    seed: sampling.seed ?? undefined,
    presence_penalty: sampling.presencePenalty ?? undefined,
    frequency_penalty: sampling.frequencyPenalty ?? undefined,
    stop: limits.stopSequences.length === 0 ? undefined : limits.stopSequences,
  });
}

function writeThinking({ model, reasoning }: CanonicalRequest, losses: Losses): Json | undefined {
  if (reasoning === null) return undefined;
  const effort = effortOf(reasoning);
  if (effort === null) return undefined;
  losses.addIf(reasoning.budgetTokens !== null && reasoning.budgetTokens > 0, "reasoning budget");
  if (!levelModel.test(model)) return budgetOf(reasoning) !== null;
  return effort === "low" || effort === "medium" || effort === "high" ? effort : levels[effort];
}

const levels = { none: "low", minimal: "low", xhigh: "high" } as const;
