/** Writes a streamed Responses answer: numbered events, each item repeated whole at its end. */

import type { Json, JsonObject } from "#base/json.ts";
import type { ServedTier } from "@tollgate/contract/money/service-tiers.ts";
import type { CanonicalEvent, ItemHead, OutputItem, TokenLogprob } from "#canonical/event.ts";
import type { Citation, HostedOutcome, Opaque } from "#canonical/request.ts";
import type { ClientError } from "#formats/format.ts";
import { writeLogprob } from "#formats/shared/logprobs/openai-logprobs.ts";
import { textSignature } from "#formats/shared/text-signature.ts";
import type { AnsweredRequest, StreamWriter } from "#formats/translation.ts";
import {
  type ItemContext,
  isSearch,
  itemId,
  openContext,
  responseIdOf,
  searchHead,
  textPart,
  toolName,
  writeCitation,
  writeEnd,
  writeImage,
  writeItem,
  writeResponse,
  writeUsage,
} from "./write-items.ts";
import { isOutcomeAlone, stepsOf, writeOutcome } from "./write-outcome.ts";

type Writing = {
  readonly asked: AnsweredRequest;
  /** Undefined until the answer has begun. */
  context: ItemContext | undefined;
  model: string;
  /** Number of the next event. */
  sequence: number;
  readonly output: JsonObject[];
  /** Whether `output_item.added` of the open item is written: a message waits for its first piece. */
  added: boolean;
  /** Which part of the open message is open, and its number. */
  part: "none" | "output_text" | "refusal";
  partIndex: number;
  annotations: number;
  /** The text of the open part. */
  text: string;
  citations: Citation[];
  /** The probabilities of its tokens. */
  logprobs: TokenLogprob[];
  reasoning: boolean;
  /** In which form the open call's arguments are written. Those of a search come with its end. */
  form: "json" | "search" | "text";
  usage: JsonObject | null;
  /** The service tier that the upstream has named so far. */
  namedTier: ServedTier;
};

export function openStreamWriter(asked: AnsweredRequest): StreamWriter {
  const writing: Writing = {
    asked,
    context: undefined,
    model: "",
    sequence: 0,
    output: [],
    added: false,
    part: "none",
    partIndex: 0,
    annotations: 0,
    text: "",
    citations: [],
    logprobs: [],
    reasoning: false,
    form: "json",
    usage: null,
    namedTier: "",
  };
  return {
    write: (event) => write(writing, event),
    fail: (error) => fail(writing, error),
  };
}

function frame(writing: Writing, type: string, fields: JsonObject): string {
  const data = JSON.stringify({ type, sequence_number: writing.sequence, ...fields });
  writing.sequence += 1;
  return `event: ${type}\ndata: ${data}\n\n`;
}

function write(writing: Writing, event: CanonicalEvent): string {
  switch (event.type) {
    case "start":
      writing.namedTier = event.namedTier ?? "";
      return begin(writing, event.model);
    case "item-start":
      writing.added = false;
      if (event.item.type !== "tool-call") return "";
      return beginCall(writing, event.item);
    case "text":
      return writePiece(writing, "output_text", event.text);
    case "refusal":
      return writePiece(writing, "refusal", event.text);
    case "reasoning":
      return writeReasoning(writing, event.text);
    case "arguments":
      return writeArguments(writing, event.text);
    case "citation":
      return writeAnnotation(writing, event.citation);
    case "logprobs":
      if (writing.part === "output_text") {
        for (const token of event.tokens) writing.logprobs.push(token);
      }
      return "";
    case "item-end":
      return endItem(writing, event.item);
    case "usage":
      if (event.usage !== null) writing.usage = writeUsage(event.usage);
      writing.namedTier = (event.namedTier ?? event.tier) || writing.namedTier;
      return "";
    case "finish": {
      const end = writeEnd(event.finish);
      return `${begin(writing, "")}${frame(writing, `response.${end.status}`, {
        response: object(writing, { ...end, error: null }),
      })}`;
    }
    default:
      return "";
  }
}

function beginCall(writing: Writing, head: Extract<ItemHead, { type: "tool-call" }>): string {
  const signed = head.opaque === null ? "" : writeSignature(writing, head.opaque);
  writing.form = isSearch(head.name, contextOf(writing)) ? "search" : head.form;
  return `${signed}${addItem(writing, callHead(writing, head))}`;
}

/** Writes a signature that belongs to no reasoning, as an item of its own. */
function writeSignature(writing: Writing, opaque: Opaque): string {
  const begun = begin(writing, "");
  const item = { type: "reasoning", text: "", opaque, isSummary: true } as const;
  const added = addReasoning(writing);
  return `${begun}${added}${itemDone(writing, item)}`;
}

function contextOf(writing: Writing): ItemContext {
  writing.context ??= openContext(writing.asked, responseIdOf(writing.asked));
  return writing.context;
}

function object(
  writing: Writing,
  fields: { readonly status: string; readonly incomplete_details: Json; readonly error: Json },
): JsonObject {
  const { output, usage, model, namedTier } = writing;
  const known = { ...fields, output: [...output], usage, namedTier };
  return writeResponse(contextOf(writing), model, known);
}

function begin(writing: Writing, model: string): string {
  if (writing.context !== undefined) return "";
  writing.context = openContext(writing.asked, responseIdOf(writing.asked));
  writing.model = model;
  const fields = { status: "in_progress", incomplete_details: null, error: null };
  const created = frame(writing, "response.created", { response: object(writing, fields) });
  return `${created}${frame(writing, "response.in_progress", { response: object(writing, fields) })}`;
}

function slotOf({ output }: Writing): number {
  return output.length;
}

function addItem(writing: Writing, item: JsonObject): string {
  const before = begin(writing, "");
  writing.added = true;
  writing.part = "none";
  writing.partIndex = -1;
  writing.reasoning = false;
  const output_index = slotOf(writing);
  return `${before}${frame(writing, "response.output_item.added", { output_index, item })}`;
}

function callHead(
  writing: Writing,
  { callId, name, form }: { callId: string; name: string; form: "json" | "text" },
): JsonObject {
  const context = contextOf(writing);
  const slot = slotOf(writing);
  if (isSearch(name, context)) {
    return { ...searchHead({ callId }, slot, context), status: "in_progress", arguments: {} };
  }
  const named = { status: "in_progress", call_id: callId, ...toolName(name, context) };
  return form === "text"
    ? { id: itemId("ctc", context, slot), type: "custom_tool_call", ...named, input: "" }
    : { id: itemId("fc", context, slot), type: "function_call", ...named, arguments: "" };
}

/** Where the open part of a message stands. */
function place(writing: Writing): JsonObject {
  const slot = slotOf(writing);
  const item_id = itemId("msg", contextOf(writing), slot);
  return { item_id, output_index: slot, content_index: writing.partIndex };
}

function writePiece(writing: Writing, kind: "output_text" | "refusal", delta: string): string {
  const before = openPart(writing, kind);
  writing.text += delta;
  const fields = kind === "output_text" ? { delta, logprobs: [] } : { delta };
  return `${before}${frame(writing, `response.${kind}.delta`, { ...place(writing), ...fields })}`;
}

function openPart(writing: Writing, kind: "output_text" | "refusal"): string {
  if (writing.added && writing.part === kind) return "";
  const added = writing.added ? closePart(writing) : addItem(writing, messageHead(writing));
  writing.part = kind;
  writing.partIndex += 1;
  writing.text = "";
  writing.citations = [];
  writing.logprobs = [];
  const part = kind === "output_text" ? textPart("", [], []) : { type: kind, refusal: "" };
  return `${added}${frame(writing, "response.content_part.added", { ...place(writing), part })}`;
}

function messageHead(writing: Writing): JsonObject {
  const id = itemId("msg", contextOf(writing), slotOf(writing));
  return { id, type: "message", status: "in_progress", role: "assistant", content: [] };
}

function closePart(writing: Writing): string {
  const { part: kind, text, citations, logprobs } = writing;
  if (kind === "none") return "";
  writing.part = "none";
  const at = place(writing);
  const isText = kind === "output_text";
  const part = isText ? textPart(text, citations, logprobs) : { type: kind, refusal: text };
  const done = isText ? { text, logprobs: logprobs.map(writeLogprob) } : { refusal: text };
  const ended = frame(writing, `response.${kind}.done`, { ...at, ...done });
  return `${ended}${frame(writing, "response.content_part.done", { ...at, part })}`;
}

function writeAnnotation(writing: Writing, citation: Citation): string {
  const before = openPart(writing, "output_text");
  const annotation_index = writing.citations.length;
  writing.citations.push(citation);
  const annotation = writeCitation(citation);
  const fields = { ...place(writing), annotation_index, annotation };
  return `${before}${frame(writing, "response.output_text.annotation.added", fields)}`;
}

function reasoningPlace(writing: Writing): JsonObject {
  const slot = slotOf(writing);
  const item_id = itemId("rs", contextOf(writing), slot);
  return { item_id, output_index: slot, summary_index: 0 };
}

function writeReasoning(writing: Writing, delta: string): string {
  const before = writing.added ? "" : addReasoning(writing);
  const opened = writing.reasoning
    ? ""
    : frame(writing, "response.reasoning_summary_part.added", {
        ...reasoningPlace(writing),
        part: { type: "summary_text", text: "" },
      });
  writing.reasoning = true;
  const piece = { ...reasoningPlace(writing), delta };
  return `${before}${opened}${frame(writing, "response.reasoning_summary_text.delta", piece)}`;
}

function addReasoning(writing: Writing): string {
  const id = itemId("rs", contextOf(writing), slotOf(writing));
  return addItem(writing, { id, type: "reasoning", summary: [] });
}

function writeArguments(writing: Writing, delta: string): string {
  if (writing.form === "search") return "";
  const slot = slotOf(writing);
  const isText = writing.form === "text";
  const item_id = itemId(isText ? "ctc" : "fc", contextOf(writing), slot);
  const type = isText
    ? "response.custom_tool_call_input.delta"
    : "response.function_call_arguments.delta";
  return frame(writing, type, { item_id, output_index: slot, delta });
}

function endItem(writing: Writing, item: OutputItem): string {
  let written = "";
  if (item.type === "message") written += writing.added ? closePart(writing) : "";
  else if (item.type === "reasoning") {
    if (!isOutcomeAlone(item)) written += endReasoning(writing, item.text);
  } else written += endArguments(writing, item);
  if (writing.added) written += itemDone(writing, item);
  if (item.type === "reasoning" && item.outcome !== undefined) {
    written += writeHosted(writing, item.outcome);
  }
  if (item.type !== "message") return written;
  for (const part of item.parts) {
    if (part.type !== "media" || part.kind !== "image" || part.source.type !== "bytes") continue;
    const image = writeImage(part.source.data, slotOf(writing), contextOf(writing));
    written += `${addItem(writing, { ...image, status: "in_progress", result: null })}`;
    written += done(writing, image);
  }
  const signature = textSignature(item);
  if (signature !== null) written += writeSignature(writing, signature);
  return written;
}

/** Writes what a tool of another provider did, with the events that lead to its end. */
function writeHosted(writing: Writing, outcome: HostedOutcome): string {
  const slot = slotOf(writing);
  const item = writeOutcome(outcome, slot, contextOf(writing));
  const { head, steps } = stepsOf(outcome, item);
  let written = addItem(writing, head);
  const at = { item_id: item["id"] ?? "", output_index: slot };
  for (const [type, fields] of steps) written += frame(writing, type, { ...at, ...fields });
  return `${written}${done(writing, item)}`;
}

function itemDone(writing: Writing, item: OutputItem): string {
  const tokens = item.type === "message" ? writing.logprobs : [];
  const whole = writeItem(item, slotOf(writing), contextOf(writing), tokens);
  // The id that the item began with counts, whatever the provider calls it.
  const id = item.type === "reasoning" ? reasoningPlace(writing)["item_id"] : undefined;
  return done(writing, id === undefined ? whole : { ...whole, id });
}

function done(writing: Writing, item: JsonObject): string {
  const output_index = slotOf(writing);
  writing.output.push(item);
  writing.added = false;
  return frame(writing, "response.output_item.done", { output_index, item });
}

function endReasoning(writing: Writing, text: string): string {
  if (!writing.added) return addReasoning(writing);
  const at = reasoningPlace(writing);
  const ended = frame(writing, "response.reasoning_summary_text.done", { ...at, text });
  const part = { type: "summary_text", text };
  return `${ended}${frame(writing, "response.reasoning_summary_part.done", { ...at, part })}`;
}

function endArguments(
  writing: Writing,
  { argsText, form }: Extract<OutputItem, { type: "tool-call" }>,
): string {
  if (writing.form === "search") return "";
  const slot = slotOf(writing);
  const context = contextOf(writing);
  if (form === "text") {
    const at = { item_id: itemId("ctc", context, slot), output_index: slot };
    return frame(writing, "response.custom_tool_call_input.done", { ...at, input: argsText });
  }
  const at = { item_id: itemId("fc", context, slot), output_index: slot };
  return frame(writing, "response.function_call_arguments.done", { ...at, arguments: argsText });
}

/** Both events belong to a failure: the error itself, then the object as far as it came. */
function fail(writing: Writing, { error, requestId, status }: ClientError): string {
  const before = begin(writing, "");
  const message = `${error.message} (request id: ${requestId})`;
  const code = error.code || "server_error";
  const param = error.param ?? null;
  const told = { status, code, message, param, error: { type: error.type, code, message, param } };
  const event = frame(writing, "error", told);
  const fields = { status: "failed", incomplete_details: null, error: { code, message } };
  return `${before}${event}${frame(writing, "response.failed", { response: object(writing, fields) })}`;
}
