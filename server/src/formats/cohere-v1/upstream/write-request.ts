/**
 * Writes a canonical request as a request to Cohere's /v1/chat, whose last message stands apart
 * from the history.
 * Documents: https://docs.cohere.com/v1/reference/chat (read 2026-11-23).
 */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalRequest, Item, ToolCallItem, ToolResultItem } from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { finishBody, loseSettings } from "#formats/shared/upstream/finish-body.ts";
import { callableTools, toolSchema } from "#formats/shared/upstream/function-tools.ts";
import { type Losses, openLosses } from "#formats/shared/losses.ts";
import { refuseMedia } from "#formats/shared/upstream/media-limits.ts";
import { pairTools } from "#formats/shared/pair-tools.ts";
import { listOf, objectOf, textOf } from "#formats/shared/read-json.ts";
import { refuseMediaOutput, refuseSeveral } from "#formats/shared/upstream/refuse.ts";
import { argsObject, openResultReader, type ResultReader } from "#formats/shared/tool-args.ts";
import { partsText, resultText, turnsOf } from "#formats/shared/upstream/turns.ts";
import type { Quirks, WrittenRequest } from "#formats/translation.ts";

export function writeRequest(
  request: CanonicalRequest,
  quirks: Quirks,
): BodyRefusal | WrittenRequest {
  const refused =
    refuseSeveral(request) ??
    refuseMediaOutput(request) ??
    refuseMedia(request, { kinds: [], urls: false });
  if (refused !== undefined) return refused;
  const losses = openLosses();
  const { limits, output, sampling, toolChoice } = request;
  const tools = toolChoice?.type === "none" ? [] : writeTools(request, losses);
  losses.addIf(tools.length > 0 && isForced(request), "tool_choice");
  losses.addIf(request.reasoning !== null, "reasoning");
  loseSettings(request, ["topK", "seed", "presencePenalty", "frequencyPenalty"], losses);
  const fields = {
    model: request.model,
    ...writeConversation(request, losses),
    tools: tools.length === 0 ? undefined : tools,
    response_format: output === null ? undefined : writeShape(output),
    max_tokens: limits.maxOutputTokens ?? undefined,
    stop_sequences: limits.stopSequences.length === 0 ? undefined : limits.stopSequences,
    temperature: sampling.temperature ?? undefined,
    p: sampling.topP ?? undefined,
    k: sampling.topK ?? undefined,
    seed: sampling.seed ?? undefined,
    presence_penalty: sampling.presencePenalty ?? undefined,
    frequency_penalty: sampling.frequencyPenalty ?? undefined,
    stream: request.stream,
  };
  return finishBody(fields, quirks, losses);
}

function isForced({ toolChoice }: CanonicalRequest): boolean {
  if (toolChoice?.type === "subset") return toolChoice.isRequired;
  return toolChoice?.type === "required" || toolChoice?.type === "tool";
}

function writeShape(output: NonNullable<CanonicalRequest["output"]>): JsonObject {
  const schema = output.type === "json" ? {} : { schema: output.schema };
  return { type: "json_object", ...schema };
}

/** Writes the history, and apart from it the last message or the last results. */
function writeConversation(request: CanonicalRequest, losses: Losses): JsonObject {
  const { items, orphans } = pairTools(request.items);
  losses.addIf(orphans > 0, "tool results without a call");
  const calls = items.filter((item) => item.type === "tool-call").values();
  const objectOfResult = openResultReader();
  const history: JsonObject[] = [];
  const preamble: string[] = [];
  for (const turn of turnsOf(items, losses.addGiven)) {
    if (turn.kind === "model") history.push(writeTurn(turn.items, losses));
    else if (turn.kind === "results") {
      history.push({ role: "TOOL", tool_results: writeResults(turn.items, calls, objectOfResult) });
    } else {
      const { role, parts } = turn.item;
      const text = partsText(parts);
      if (role !== "system") history.push({ role: "USER", message: text });
      else if (history.length === 0) preamble.push(text);
      else history.push({ role: "SYSTEM", message: text });
    }
  }
  const last = history.at(-1);
  const isResults = last?.["role"] === "TOOL";
  const isMessage = last?.["role"] === "USER";
  if (isResults || isMessage) history.pop();
  return {
    message: isMessage ? textOf(last?.["message"]) : "",
    ...(isResults ? { tool_results: last["tool_results"] ?? [] } : {}),
    ...(history.length === 0 ? {} : { chat_history: history }),
    ...(preamble.length === 0 ? {} : { preamble: preamble.join("\n\n") }),
  };
}

function writeTurn(items: readonly Item[], losses: Losses): JsonObject {
  let message = "";
  const calls: JsonObject[] = [];
  for (const item of items) {
    if (item.type === "message") message += partsText(item.parts);
    else if (item.type === "tool-call") {
      calls.push({ name: item.name, parameters: argsObject(item) });
    } else if (item.type === "reasoning") losses.add("reasoning of earlier turns");
    else if (item.type === "hosted") losses.addGiven(item.kind);
  }
  return { role: "CHATBOT", message, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

/**
 * A result repeats its call, because calls have no ids, and has objects as its outputs. Each call has
 * one result, in the same order: an id may belong to several.
 */
function writeResults(
  items: readonly ToolResultItem[],
  calls: Iterator<ToolCallItem>,
  objectOfResult: ResultReader,
): readonly JsonObject[] {
  return items.map((item) => {
    const { value: call } = calls.next();
    const parameters = call === undefined ? {} : argsObject(call);
    const text = resultText(item);
    const output = objectOfResult(text) ?? { output: text };
    return { call: { name: call?.name ?? item.name, parameters }, outputs: [output] };
  });
}

/** Types of the format, by those of JSON Schema. */
const types: Readonly<Record<string, string>> = {
  array: "List",
  boolean: "bool",
  integer: "int",
  number: "float",
  object: "Dict",
  string: "str",
};

/** Writes tools, whose parameters are a flat list: what a schema says beyond that is lost. */
function writeTools(request: CanonicalRequest, losses: Losses): readonly JsonObject[] {
  return callableTools(request).map((tool) => {
    const { description, name } = tool;
    const schema = toolSchema(tool, losses) ?? {};
    const required = new Set(listOf(schema["required"]));
    const parameters: Record<string, Json> = {};
    for (const [key, value] of Object.entries(objectOf(schema["properties"]))) {
      const property = objectOf(value);
      losses.addIf(
        property["enum"] !== undefined || property["properties"] !== undefined,
        "tools.parameters details",
      );
      parameters[key] = {
        description: textOf(property["description"]),
        type: types[textOf(property["type"])] ?? "str",
        required: required.has(key),
      };
    }
    return { name, description: description || name, parameter_definitions: parameters };
  });
}
