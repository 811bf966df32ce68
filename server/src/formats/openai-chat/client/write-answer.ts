/** Writes a chat completion that is not streamed. */

import type { JsonObject } from "#base/json.ts";
import type { Answer } from "#canonical/answer.ts";
import type { EndReason } from "#canonical/event.ts";
import type { Citation, Opaque, ReasoningItem, ToolCallItem } from "#canonical/request.ts";
import { mediaUrl } from "#formats/shared/data-url.ts";
import { writeLogprob } from "#formats/shared/logprobs/openai-logprobs.ts";
import { wrapOpaque } from "#formats/shared/opaque-text.ts";
import { writeServedOpenAi } from "#formats/shared/tiers/service-tiers.ts";
import { textSignature } from "#formats/shared/text-signature.ts";
import type { AnsweredRequest } from "#formats/translation.ts";
import { writeUsage } from "./write-usage.ts";

export function writeAnswer(answer: Answer, asked: AnsweredRequest): JsonObject {
  const { items, logprobs, usage, finish } = answer;
  const tier = writeServedOpenAi(answer.namedTier);
  return {
    id: answer.responseId || asked.responseId,
    object: "chat.completion",
    created: asked.createdAt,
    model: answer.model || asked.model,
    choices: [
      {
        index: 0,
        message: writeMessage(items),
        logprobs: logprobs.length === 0 ? null : { content: logprobs.map(writeLogprob) },
        finish_reason: finishWord(finish?.reason ?? "complete"),
      },
    ],
    ...(usage === null ? {} : { usage: writeUsage(usage) }),
    ...(tier === undefined ? {} : { service_tier: tier }),
  };
}

function writeMessage(items: Answer["items"]): JsonObject {
  let text = "";
  let refusal = "";
  let reasoning = "";
  const annotations: JsonObject[] = [];
  const images: JsonObject[] = [];
  const details: JsonObject[] = [];
  const calls: JsonObject[] = [];
  for (const item of items) {
    if (item.type === "reasoning") {
      reasoning += item.text;
      const detail = writeDetail(item, details.length);
      if (detail !== null) details.push(detail);
    } else if (item.type === "tool-call") calls.push(writeCall(item));
    else if (item.type === "message") {
      const signature = textSignature(item);
      if (signature !== null) {
        const signed = {
          type: "reasoning",
          text: "",
          opaque: signature,
          isSummary: false,
        } as const;
        const detail = writeDetail(signed, details.length);
        if (detail !== null) details.push(detail);
      }
      for (const part of item.parts) {
        if (part.type === "text") {
          const before = codePoints(text);
          for (const each of part.citations) annotations.push(writeCitation(each, before));
          text += part.text;
        } else if (part.type === "refusal") refusal += part.text;
        else {
          const url = mediaUrl(part.source, part.mediaType);
          if (url !== undefined) images.push({ type: "image_url", image_url: { url } });
        }
      }
    }
  }
  return {
    role: "assistant",
    content: text === "" && (calls.length > 0 || refusal !== "") ? null : text,
    refusal: refusal === "" ? null : refusal,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(annotations.length === 0 ? {} : { annotations }),
    ...(images.length === 0 ? {} : { images }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Writes a call. A signature that must come back travels where Google's own layer puts it. */
function writeCall({ callId, name, argsText, opaque, form }: ToolCallItem): JsonObject {
  const called =
    form === "text"
      ? { type: "custom", custom: { name, input: argsText } }
      : { type: "function", function: { name, arguments: argsText } };
  return { id: callId, ...called, ...extraContent(opaque) };
}

export function extraContent(opaque: Opaque | null): JsonObject {
  if (opaque === null) return {};
  return { extra_content: { google: { thought_signature: wrapOpaque(opaque) } } };
}

/** Writes what must come back with the reasoning. Null: the reasoning is text alone. */
export function writeDetail({ text, opaque }: ReasoningItem, index: number): JsonObject | null {
  if (opaque === null) return null;
  const value = wrapOpaque(opaque);
  if (opaque.kind !== "signature") return { type: "reasoning.encrypted", data: value, index };
  return { type: "reasoning.text", text, signature: value, index };
}

/** @param before how many code points of the message precede the text of the citation. */
export function writeCitation({ url, title, start, end }: Citation, before: number): JsonObject {
  const url_citation: JsonObject = {
    url,
    title,
    start_index: before + (start ?? 0),
    end_index: before + (end ?? 0),
  };
  return { type: "url_citation", url_citation };
}

const finishWords: Readonly<Record<EndReason, string>> = {
  complete: "stop",
  "context-full": "length",
  length: "length",
  other: "stop",
  paused: "stop",
  refused: "content_filter",
  "stop-sequence": "stop",
  "tool-call": "tool_calls",
};

export function finishWord(reason: EndReason): string {
  return finishWords[reason];
}
