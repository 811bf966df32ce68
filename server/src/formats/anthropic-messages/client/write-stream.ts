/** Writes a streamed Messages answer: one block is closed before the next one opens. */

import type { JsonObject } from "#base/json.ts";
import type { ServedTier } from "@tollgate/contract/money/service-tiers.ts";
import type { CanonicalEvent, ItemHead, OutputItem } from "#canonical/event.ts";
import type { ClientError } from "#formats/format.ts";
import type { AnsweredRequest, StreamWriter } from "#formats/translation.ts";
import type { HostedOutcome, Opaque } from "#canonical/request.ts";
import { nativeIssuer } from "#formats/anthropic-messages/wire.ts";
import { writeServedAnthropic } from "#formats/shared/tiers/service-tiers.ts";
import { textSignature } from "#formats/shared/text-signature.ts";
import { customField } from "#formats/shared/tool-args.ts";
import { errorBody } from "./error-body.ts";
import {
  mediaText,
  opaqueValue,
  writeCitation,
  writeHead,
  writeStop,
  writeThinking,
  writeUsage,
} from "./write-answer.ts";
import { writeOutcome } from "./write-outcome.ts";

/** What a stream has written so far. */
type Writing = {
  readonly asked: AnsweredRequest;
  begun: boolean;
  /** Index of the next block. */
  index: number;
  /** The kind of the block that is open. */
  open: "none" | "text" | "thinking" | "tool_use";
  /** Whether the arguments of the open call are free text, which is written as one JSON value. */
  isFreeText: boolean;
  usage: JsonObject;
};

export function openStreamWriter(asked: AnsweredRequest): StreamWriter {
  const writing: Writing = {
    asked,
    begun: false,
    index: 0,
    open: "none",
    isFreeText: false,
    usage: { input_tokens: asked.promptTokens, output_tokens: 0 },
  };
  return {
    write: (event) => write(writing, event),
    fail: (error) => fail(writing, error),
  };
}

/** Makes one event. */
function frame(type: string, fields: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

function write(writing: Writing, event: CanonicalEvent): string {
  switch (event.type) {
    case "start":
      return begin(writing, event.responseId, event.model, event.namedTier);
    case "item-start":
      return event.item.type === "tool-call" ? openCall(writing, event.item) : "";
    case "text":
    case "refusal":
      return `${openBlock(writing, "text")}${delta(writing, { type: "text_delta", text: event.text })}`;
    case "reasoning": {
      const thinking = { type: "thinking_delta", thinking: event.text };
      return `${openBlock(writing, "thinking")}${delta(writing, thinking)}`;
    }
    case "arguments":
      if (writing.isFreeText) return "";
      return delta(writing, { type: "input_json_delta", partial_json: event.text });
    case "citation": {
      const citation = writeCitation(event.citation);
      return `${openBlock(writing, "text")}${delta(writing, { type: "citations_delta", citation })}`;
    }
    case "media": {
      const text = mediaText(event.part);
      return `${openBlock(writing, "text")}${delta(writing, { type: "text_delta", text })}`;
    }
    case "item-end":
      return endItem(writing, event.item);
    case "usage":
      if (event.usage !== null) writing.usage = writeUsage(event.usage);
      return "";
    case "finish":
      return finish(writing, event.finish);
    default:
      return "";
  }
}

/** The usage at the beginning names the service tier; that at the end has no field for it. */
function begin(
  writing: Writing,
  responseId: string,
  model: string,
  namedTier: ServedTier = "",
): string {
  if (writing.begun) return "";
  writing.begun = true;
  const message = {
    ...writeHead(responseId, model, writing.asked),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...writing.usage, output_tokens: 1, ...writeServedAnthropic(namedTier) },
  };
  return frame("message_start", { message });
}

/** Opens a block of this kind unless it is open already. */
function openBlock(writing: Writing, kind: "text" | "thinking"): string {
  if (writing.open === kind) return "";
  const block =
    kind === "text" ? { type: kind, text: "" } : { type: kind, thinking: "", signature: "" };
  return startBlock(writing, kind, block);
}

function openCall(writing: Writing, head: Extract<ItemHead, { type: "tool-call" }>): string {
  const { callId: id, name, form, opaque } = head;
  const signed = opaque === null ? "" : writeSignature(writing, opaque);
  writing.isFreeText = form === "text";
  return `${signed}${startBlock(writing, "tool_use", { type: "tool_use", id, name, input: {} })}`;
}

/** Writes a signature that belongs to no reasoning, in a block of its own. */
function writeSignature(writing: Writing, opaque: Opaque): string {
  const opened = startBlock(writing, "thinking", { type: "thinking", thinking: "", signature: "" });
  const signature = { type: "signature_delta", signature: opaqueValue(opaque) };
  return `${opened}${delta(writing, signature)}${closeBlock(writing)}`;
}

function startBlock(
  writing: Writing,
  kind: "text" | "thinking" | "tool_use",
  content_block: JsonObject,
): string {
  const before = `${begin(writing, "", "")}${closeBlock(writing)}`;
  writing.open = kind;
  return `${before}${frame("content_block_start", { index: writing.index, content_block })}`;
}

function delta({ index }: Writing, fields: JsonObject): string {
  return frame("content_block_delta", { index, delta: fields });
}

function closeBlock(writing: Writing): string {
  if (writing.open === "none") return "";
  const closed = frame("content_block_stop", { index: writing.index });
  writing.open = "none";
  writing.index += 1;
  return closed;
}

function endItem(writing: Writing, item: OutputItem): string {
  if (item.type === "reasoning") return endReasoning(writing, item);
  if (item.type === "tool-call" && writing.isFreeText) {
    const partial_json = JSON.stringify({ [customField]: item.argsText });
    return `${delta(writing, { type: "input_json_delta", partial_json })}${closeBlock(writing)}`;
  }
  const closed = closeBlock(writing);
  const signature = item.type === "message" ? textSignature(item) : null;
  return signature === null ? closed : `${closed}${writeSignature(writing, signature)}`;
}

/** Ends reasoning with its signature. What has no readable text comes as one block. */
function endReasoning(
  writing: Writing,
  { text, opaque, outcome }: Extract<OutputItem, { type: "reasoning" }>,
): string {
  if (opaque === null) {
    const closed = closeBlock(writing);
    return outcome === undefined ? closed : `${closed}${writeHosted(writing, outcome)}`;
  }
  const block = writeThinking(text, opaque);
  if (block["type"] !== "thinking") {
    const written = `${startBlock(writing, "thinking", block)}${closeBlock(writing)}`;
    const isForeign = outcome !== undefined && opaque.issuer !== nativeIssuer;
    return isForeign ? `${written}${writeHosted(writing, outcome)}` : written;
  }
  const signed = { type: "signature_delta", signature: opaqueValue(opaque) };
  return `${openBlock(writing, "thinking")}${delta(writing, signed)}${closeBlock(writing)}`;
}

/** Writes what a tool of another provider did. The input comes as a piece, as those of all tools do. */
function writeHosted(writing: Writing, outcome: HostedOutcome): string {
  const place = `${writing.asked.responseId}_${writing.index}`;
  const [{ input, ...use }, result] = writeOutcome(outcome, place);
  const piece = { type: "input_json_delta", partial_json: JSON.stringify(input) };
  const used = startBlock(writing, "tool_use", { ...use, input: {} });
  const came = `${used}${delta(writing, piece)}${closeBlock(writing)}`;
  return `${came}${startBlock(writing, "tool_use", result)}${closeBlock(writing)}`;
}

function finish(
  writing: Writing,
  end: Extract<CanonicalEvent, { type: "finish" }>["finish"],
): string {
  const before = `${begin(writing, "", "")}${closeBlock(writing)}`;
  const last = frame("message_delta", { delta: writeStop(end), usage: writing.usage });
  return `${before}${last}${frame("message_stop", {})}`;
}

/** After an error no `message_stop` follows; the block is closed so that the client can end. */
function fail(writing: Writing, error: ClientError): string {
  return `${closeBlock(writing)}event: error\ndata: ${errorBody(error)}\n\n`;
}
