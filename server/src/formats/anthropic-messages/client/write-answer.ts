/** Writes a Messages answer that is not streamed. */

import type { Json, JsonObject } from "#base/json.ts";
import type { Answer } from "#canonical/answer.ts";
import type { EndReason, Finish, OutputItem } from "#canonical/event.ts";
import type { Citation, MediaPart, Opaque } from "#canonical/request.ts";
import type { Usage } from "#canonical/usage.ts";
import { nativeIssuer } from "#formats/anthropic-messages/wire.ts";
import { mediaUrl } from "#formats/shared/data-url.ts";
import { openItem } from "#formats/shared/opaque-item.ts";
import { wrapOpaque } from "#formats/shared/opaque-text.ts";
import { writeServedAnthropic } from "#formats/shared/tiers/service-tiers.ts";
import { textSignature } from "#formats/shared/text-signature.ts";
import { argsObject } from "#formats/shared/tool-args.ts";
import type { AnsweredRequest } from "#formats/translation.ts";
import { writeOutcome } from "./write-outcome.ts";

export function writeAnswer(answer: Answer, asked: AnsweredRequest): JsonObject {
  const { finish, usage, namedTier } = answer;
  const counts = usage === null ? { input_tokens: 0, output_tokens: 0 } : writeUsage(usage);
  return {
    ...writeHead(answer.responseId, answer.model, asked),
    content: answer.items.flatMap((item, slot) => writeBlocks(item, `${asked.responseId}_${slot}`)),
    ...writeStop(finish),
    usage: { ...counts, ...writeServedAnthropic(namedTier) },
  };
}

/** Writes the fields that do not depend on the answer's content. */
export function writeHead(responseId: string, model: string, asked: AnsweredRequest): JsonObject {
  return {
    id: responseId || asked.responseId,
    type: "message",
    role: "assistant",
    model: model || asked.model,
  };
}

export function writeStop(finish: Finish | null): JsonObject {
  const { reason = "complete", stopSequence = "" } = finish ?? {};
  return {
    stop_reason: stopWords[reason],
    stop_sequence: reason === "stop-sequence" && stopSequence !== "" ? stopSequence : null,
  };
}

const stopWords: Readonly<Record<EndReason, string>> = {
  complete: "end_turn",
  "context-full": "model_context_window_exceeded",
  length: "max_tokens",
  other: "end_turn",
  paused: "pause_turn",
  refused: "refusal",
  "stop-sequence": "stop_sequence",
  "tool-call": "tool_use",
};

/** Writes the usage. Input that was read from or written to the cache is not part of the input. */
export function writeUsage(usage: Usage): JsonObject {
  const { cacheRead, cacheWrite5m, cacheWrite1h, reasoning } = usage;
  return {
    input_tokens: usage.input + usage.inputAudio + usage.inputImage,
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    cache_read_input_tokens: cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: cacheWrite5m,
      ephemeral_1h_input_tokens: cacheWrite1h,
    },
    output_tokens: usage.output + reasoning + usage.outputAudio + usage.outputImage,
    ...(reasoning > 0 ? { output_tokens_details: { thinking_tokens: reasoning } } : {}),
  };
}

/** @param place tells the item from all others of the conversation. */
function writeBlocks(item: OutputItem, place: string): readonly JsonObject[] {
  switch (item.type) {
    case "reasoning": {
      const { text, opaque, outcome } = item;
      const isForeign = outcome !== undefined && opaque?.issuer !== nativeIssuer;
      const told = isForeign ? writeOutcome(outcome, place) : [];
      return text === "" && opaque === null ? told : [writeThinking(text, opaque), ...told];
    }
    case "tool-call": {
      const { callId, name, opaque } = item;
      const signed = opaque === null ? [] : [writeThinking("", opaque)];
      return [...signed, { type: "tool_use", id: callId, name, input: argsObject(item) }];
    }
    case "message": {
      const signature = textSignature(item);
      const blocks = item.parts.flatMap((part) => {
        if (part.type === "media") return [{ type: "text", text: mediaText(part) }];
        const cited = part.type === "text" && part.citations.length > 0;
        const citations = cited ? { citations: part.citations.map(writeCitation) } : {};
        return part.text === "" ? [] : [{ type: "text", text: part.text, ...citations }];
      });
      return signature === null ? blocks : [...blocks, writeThinking("", signature)];
    }
  }
}

/**
 * Writes reasoning. Encrypted reasoning without a readable text has a block of its own, and so has
 * every item of another format; Anthropic's own items are written as they were.
 */
export function writeThinking(text: string, opaque: Opaque | null): JsonObject {
  const own = opaque?.issuer === nativeIssuer && opaque.kind === "item";
  const item = own ? openItem(opaque.value) : undefined;
  if (item !== undefined) return item;
  if (opaque !== null && opaque.kind !== "signature" && text === "") {
    return { type: "redacted_thinking", data: opaqueValue(opaque) };
  }
  const signature = opaque === null ? "" : opaqueValue(opaque);
  return { type: "thinking", thinking: text, signature };
}

/** Values of Anthropic itself stay as they are; all others are marked with their issuer. */
export function opaqueValue(opaque: Opaque): string {
  return opaque.issuer === nativeIssuer ? opaque.value : wrapOpaque(opaque);
}

/** Media in an answer, which the format has no block for, as Markdown. */
export function mediaText({ kind, source, mediaType }: MediaPart): string {
  const url = mediaUrl(source, mediaType) ?? "";
  return kind === "image" ? `![image](${url})` : `[${kind}](${url})`;
}

export function writeCitation({ url, title, quote }: Citation): Json {
  return {
    type: "web_search_result_location",
    url,
    title: title === "" ? null : title,
    cited_text: quote,
    encrypted_index: "",
  };
}
