/**
 * Writes a canonical request as the message that asks Spark. The provider adds what depends on the
 * channel: the app's id, and the domain if the model has another name there.
 * Documents: https://www.xfyun.cn/doc/spark/Web.html (read 2026-11-23).
 */

import type { JsonObject } from "#base/json.ts";
import type { CanonicalRequest, Item } from "#canonical/request.ts";
import type { BodyRefusal, RequestReader } from "#formats/format.ts";
import { type Losses, openLosses } from "#formats/shared/losses.ts";
import { pairTools } from "#formats/shared/pair-tools.ts";
import { defined, objectOf, parseJson } from "#formats/shared/read-json.ts";
import { splitSystem } from "#formats/shared/upstream/alternate.ts";
import { finishBody, loseSettings } from "#formats/shared/upstream/finish-body.ts";
import { callableTools, toolSchema } from "#formats/shared/upstream/function-tools.ts";
import { refuseMedia } from "#formats/shared/upstream/media-limits.ts";
import { itemText } from "#formats/shared/upstream/plain-talk.ts";
import { refuseMediaOutput, refuseSeveral } from "#formats/shared/upstream/refuse.ts";
import { textTurns } from "#formats/shared/upstream/text-turns.ts";
import { writtenRequests } from "#formats/shared/upstream/written-requests.ts";
import type { Quirks, WrittenRequest } from "#formats/translation.ts";

/** The longest `uid`, in characters. */
const userLengthMax = 32;

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
  const functions = writeFunctions(request, losses);
  const uid = request.hints.endUser.slice(0, userLengthMax);
  const fields = {
    header: uid === "" ? {} : { uid },
    parameter: { chat: writeSettings(request, losses) },
    payload: {
      message: { text: writeMessages(request.items, losses) },
      ...(functions.length === 0 ? {} : { functions: { text: functions } }),
    },
  };
  return finishBody(fields, quirks, losses);
}

function writeSettings(request: CanonicalRequest, losses: Losses): JsonObject {
  const { limits, model, output, reasoning, sampling } = request;
  loseSettings(request, ["topK"], losses);
  losses.addIf(sampling.topP !== null, "top_p");
  losses.addIf(reasoning !== null, "reasoning");
  losses.addIf(output !== null, "response_format");
  return defined({
    domain: model,
    max_tokens: limits.maxOutputTokens ?? undefined,
    temperature: sampling.temperature === null ? undefined : within(sampling.temperature, 0.01, 1),
    top_k: sampling.topK === null ? undefined : within(sampling.topK, 1, 6),
  });
}

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** Spark calls one function an answer, and decides by itself whether it does. */
function writeFunctions(request: CanonicalRequest, losses: Losses): readonly JsonObject[] {
  const { parallelToolCalls, toolChoice } = request;
  if (toolChoice?.type === "none") return [];
  const isForced =
    toolChoice?.type === "required" ||
    toolChoice?.type === "tool" ||
    (toolChoice?.type === "subset" && toolChoice.isRequired);
  losses.addIf(isForced, "tool_choice");
  losses.addIf(parallelToolCalls === true, "parallel_tool_calls");
  return callableTools(request).map((tool) => ({
    name: tool.name,
    description: tool.description,
    parameters: toolSchema(tool, losses) ?? { type: "object", properties: {} },
  }));
}

/** The conversation is texts alone, so earlier calls and their results are told as texts. */
function writeMessages(items: readonly Item[], losses: Losses): readonly JsonObject[] {
  const paired = pairTools(items);
  losses.addIf(paired.orphans > 0, "tool results without a call");
  losses.addIf(
    paired.items.some(({ type }) => type === "tool-call"),
    "tool calls as text",
  );
  const { system, spoken } = splitSystem(paired.items);
  const instructions = system.map(itemText).join("\n\n");
  const turns = textTurns(spoken, (item) => {
    losses.addIf(item.type === "reasoning", "reasoning of earlier turns");
    if (item.type === "hosted") losses.addGiven(item.kind);
    return item.type === "tool-result" ? `TOOL: ${itemText(item)}` : itemText(item);
  });
  return instructions === "" ? turns : [{ role: "system", content: instructions }, ...turns];
}

const plain = writtenRequests({});
const settings = writtenRequests({ limits: ["max_tokens"] });

/** Reads such messages, whose limit of output tokens is two objects deep. */
export const requests: RequestReader = {
  ...plain,
  priced: ["parameter"],
  readRequest(bytes, path) {
    const read = plain.readRequest(bytes, path);
    if ("message" in read) return read;
    const fields = objectOf(parseJson(new TextDecoder().decode(bytes)));
    const chat = objectOf(objectOf(fields["parameter"])["chat"]);
    const inner = settings.readRequest(new TextEncoder().encode(JSON.stringify(chat)), path);
    return "message" in inner ? inner : { ...read, maxTokens: inner.maxTokens };
  },
};
