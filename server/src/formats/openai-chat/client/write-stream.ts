/** Writes a streamed chat completion. */

import type { Json, JsonObject } from "#base/json.ts";
import type { ServedTier } from "@tollgate/contract/money/service-tiers.ts";
import type { CanonicalEvent, OutputItem } from "#canonical/event.ts";
import { doneWord } from "#formats/openai-chat/wire.ts";
import { mediaUrl } from "#formats/shared/data-url.ts";
import { writeLogprob } from "#formats/shared/logprobs/openai-logprobs.ts";
import { writeServedOpenAi } from "#formats/shared/tiers/service-tiers.ts";
import { textSignature } from "#formats/shared/text-signature.ts";
import type { AnsweredRequest, StreamWriter } from "#formats/translation.ts";
import { stream } from "./stream-words.ts";
import { extraContent, finishWord, writeCitation, writeDetail } from "./write-answer.ts";
import { writeUsage } from "./write-usage.ts";

/** What a stream has written so far. */
type Writing = {
  readonly asked: AnsweredRequest;
  /** The fields that all chunks share; null: nothing is written yet. */
  shared: JsonObject | null;
  /** Everything in front of the choices, which all chunks share. Empty: nothing is written yet. */
  head: string;
  /** Everything behind the choices. */
  readonly tail: string;
  usage: JsonObject | null;
  /** Number of tool calls that have begun. */
  calls: number;
  /** Whether the open call is of a custom tool, and whether its arguments have begun. */
  isCustom: boolean;
  hasArguments: boolean;
  /** Number of the next part of the reasoning that must come back. */
  details: number;
};

export function openStreamWriter(asked: AnsweredRequest): StreamWriter {
  const writing: Writing = {
    asked,
    shared: null,
    head: "",
    tail: asked.wantsUsage ? ',"usage":null}\n\n' : "}\n\n",
    usage: null,
    calls: 0,
    isCustom: false,
    hasArguments: false,
    details: 0,
  };
  return {
    write: (event) => write(writing, event),
    fail: (error) => `${stream.errorEvent(error)}data: ${doneWord}\n\n`,
  };
}

function write(writing: Writing, event: CanonicalEvent): string {
  switch (event.type) {
    case "start":
      return begin(writing, event.responseId, event.model, event.namedTier);
    case "item-start": {
      const { item } = event;
      return item.type === "tool-call" ? beginCall(writing, item) : "";
    }
    case "text":
      return writeText(writing, event.text);
    case "refusal":
      return delta(writing, { refusal: event.text });
    case "reasoning":
      return delta(writing, { reasoning_content: event.text });
    case "arguments":
      return writeArguments(writing, event.text);
    case "citation":
      return delta(writing, { annotations: [writeCitation(event.citation, 0)] });
    case "media": {
      const url = mediaUrl(event.part.source, event.part.mediaType);
      if (url === undefined) return "";
      return delta(writing, { images: [{ type: "image_url", image_url: { url } }] });
    }
    case "logprobs":
      return delta(writing, {}, { content: event.tokens.map(writeLogprob) });
    case "item-end":
      return endItem(writing, event.item);
    case "usage":
      if (event.usage !== null) writing.usage = writeUsage(event.usage);
      setHead(writing, event.namedTier ?? event.tier);
      return "";
    case "finish":
      return close(writing, finishWord(event.finish.reason));
    case "fault":
    case "unsent":
      return "";
  }
}

function begin(
  writing: Writing,
  responseId: string,
  model: string,
  namedTier: ServedTier = "",
): string {
  const { asked } = writing;
  writing.shared = {
    id: responseId || asked.responseId,
    object: "chat.completion.chunk",
    created: asked.createdAt,
    model: model || asked.model,
  };
  setHead(writing, namedTier);
  return delta(writing, { role: "assistant", content: "" });
}

/** Makes what stands in front of the choices, with the service tier once it is named. */
function setHead(writing: Writing, namedTier: ServedTier): void {
  if (writing.shared === null) return;
  const tier = writeServedOpenAi(namedTier);
  if (tier !== undefined) writing.shared = { ...writing.shared, service_tier: tier };
  writing.head = `data: ${JSON.stringify(writing.shared).slice(0, -1)},"choices":`;
}

function chunk(writing: Writing, choice: JsonObject): string {
  const opening = writing.head === "" ? begin(writing, "", "") : "";
  return `${opening}${writing.head}[${JSON.stringify(choice)}]${writing.tail}`;
}

function delta(writing: Writing, fields: JsonObject, logprobs: Json = null): string {
  return chunk(writing, { index: 0, delta: fields, logprobs, finish_reason: null });
}

/** The most frequent event, so it is put together without building objects. */
function writeText(writing: Writing, text: string): string {
  if (writing.head === "") return delta(writing, { content: text });
  const content = JSON.stringify(text);
  const choice = `{"index":0,"delta":{"content":${content}},"logprobs":null,"finish_reason":null}`;
  return `${writing.head}[${choice}]${writing.tail}`;
}

function beginCall(
  writing: Writing,
  {
    callId,
    name,
    form,
  }: { readonly callId: string; readonly name: string; readonly form: "json" | "text" },
): string {
  const index = writing.calls;
  writing.calls += 1;
  writing.isCustom = form === "text";
  writing.hasArguments = false;
  const called = writing.isCustom
    ? { type: "custom", custom: { name, input: "" } }
    : { type: "function", function: { name, arguments: "" } };
  return delta(writing, { tool_calls: [{ index, id: callId, ...called }] });
}

function writeArguments(writing: Writing, text: string): string {
  writing.hasArguments = true;
  const called = writing.isCustom ? { custom: { input: text } } : { function: { arguments: text } };
  return delta(writing, { tool_calls: [{ index: writing.calls - 1, ...called }] });
}

function endItem(writing: Writing, item: OutputItem): string {
  const signed =
    item.type === "reasoning" ? item.opaque : item.type === "message" ? textSignature(item) : null;
  if (item.type === "reasoning" || signed !== null) {
    // The text has been sent already, so the detail carries the value alone.
    const given = { type: "reasoning", text: "", opaque: signed, isSummary: false } as const;
    const detail = item.type === "tool-call" ? null : writeDetail(given, writing.details);
    if (detail === null) return "";
    writing.details += 1;
    return delta(writing, { reasoning_details: [detail] });
  }
  if (item.type !== "tool-call") return "";
  const extra = extraContent(item.opaque);
  // A call without arguments has had no piece; clients expect JSON all the same.
  const isEmpty = !writing.hasArguments && !writing.isCustom;
  if (!isEmpty && item.opaque === null) return "";
  // Strict clients want the function in every piece, also where only the signature is new.
  const called = writing.isCustom
    ? { custom: { input: "" } }
    : { function: { arguments: isEmpty ? item.argsText : "" } };
  return delta(writing, { tool_calls: [{ index: writing.calls - 1, ...called, ...extra }] });
}

function close(writing: Writing, reason: string): string {
  const last = chunk(writing, { index: 0, delta: {}, logprobs: null, finish_reason: reason });
  const { usage, asked, head } = writing;
  const isSent = usage !== null && asked.wantsUsage;
  const sum = isSent ? `${head}[],"usage":${JSON.stringify(usage)}}\n\n` : "";
  return `${last}${sum}data: ${doneWord}\n\n`;
}
