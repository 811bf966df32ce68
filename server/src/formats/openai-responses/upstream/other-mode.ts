/** Writes whole Responses answers as streams, and puts such streams together. */

import type { JsonObject } from "#base/json.ts";
import type { OtherMode } from "#formats/format.ts";
import { asObject, listOf, numberOf, objectOf, textOf } from "#formats/shared/read-json.ts";
import { piecesOf, typedEvent } from "#formats/shared/upstream/whole-as-stream.ts";

/** Writes the next event of a stream, which has a number. */
type Send = (type: string, fields: JsonObject) => void;

function toStream(response: JsonObject): string {
  let written = "";
  let sequence_number = 0;
  const send: Send = (type, fields) => {
    written += typedEvent(type, { sequence_number, ...fields });
    sequence_number += 1;
  };
  const begun = { ...response, status: "in_progress", output: [], usage: null };
  send("response.created", { response: begun });
  send("response.in_progress", { response: begun });
  for (const [output_index, item] of listOf(response["output"]).entries()) {
    sendItem(send, objectOf(item), output_index);
  }
  const status = textOf(response["status"]);
  const end = endings.has(status) ? status : "completed";
  send(`response.${end}`, { response });
  return written;
}

const endings: ReadonlySet<string> = new Set(["completed", "failed", "incomplete"]);

function sendItem(send: Send, item: JsonObject, output_index: number): void {
  const at = { item_id: textOf(item["id"]), output_index };
  const add = (fields: JsonObject): void =>
    send("response.output_item.added", { output_index, item: { ...item, ...fields } });
  switch (item["type"]) {
    case "message":
      add({ status: "in_progress", content: [] });
      for (const [content_index, part] of listOf(item["content"]).entries()) {
        sendPart(send, objectOf(part), { ...at, content_index });
      }
      break;
    case "reasoning":
      add(item["content"] === undefined ? { summary: [] } : { summary: [], content: [] });
      sendReasoning(send, item, at);
      break;
    case "function_call":
      add({ status: "in_progress", arguments: "" });
      sendText(send, "function_call_arguments", at, { arguments: textOf(item["arguments"]) });
      break;
    case "custom_tool_call":
      add({ status: "in_progress", input: "" });
      sendText(send, "custom_tool_call_input", at, { input: textOf(item["input"]) });
      break;
    default:
      add({});
  }
  send("response.output_item.done", { output_index, item });
}

/** Sends a text in pieces and then as a whole, in the field that the end of its kind has. */
function sendText(
  send: Send,
  kind: string,
  at: JsonObject,
  whole: Readonly<Record<string, string>>,
): void {
  for (const text of Object.values(whole)) {
    for (const delta of piecesOf(text)) send(`response.${kind}.delta`, { ...at, delta });
  }
  send(`response.${kind}.done`, { ...at, ...whole });
}

function sendPart(send: Send, part: JsonObject, at: JsonObject): void {
  const isRefusal = part["type"] === "refusal";
  const text = textOf(part[isRefusal ? "refusal" : "text"]);
  const empty = isRefusal ? { refusal: "" } : { text: "", annotations: [] };
  send("response.content_part.added", { ...at, part: { ...part, ...empty } });
  for (const delta of piecesOf(text)) {
    if (isRefusal) send("response.refusal.delta", { ...at, delta });
    else send("response.output_text.delta", { ...at, delta, logprobs: [] });
  }
  for (const [annotation_index, annotation] of listOf(part["annotations"]).entries()) {
    send("response.output_text.annotation.added", { ...at, annotation_index, annotation });
  }
  if (isRefusal) send("response.refusal.done", { ...at, refusal: text });
  else send("response.output_text.done", { ...at, text, logprobs: part["logprobs"] ?? [] });
  send("response.content_part.done", { ...at, part });
}

function sendReasoning(send: Send, item: JsonObject, at: JsonObject): void {
  for (const [summary_index, each] of listOf(item["summary"]).entries()) {
    const part = objectOf(each);
    const place = { ...at, summary_index };
    send("response.reasoning_summary_part.added", { ...place, part: { ...part, text: "" } });
    sendText(send, "reasoning_summary_text", place, { text: textOf(part["text"]) });
    send("response.reasoning_summary_part.done", { ...place, part });
  }
  for (const [content_index, each] of listOf(item["content"]).entries()) {
    const text = textOf(objectOf(each)["text"]);
    sendText(send, "reasoning_text", { ...at, content_index }, { text });
  }
}

/** Some servers leave the items out of the last event, which repeats them elsewhere. */
function toWhole(events: readonly JsonObject[]): JsonObject | undefined {
  const items = new Map<number, JsonObject>();
  let response: JsonObject | undefined;
  for (const event of events) {
    if (event["type"] === "response.output_item.done") {
      items.set(numberOf(event["output_index"]) ?? items.size, objectOf(event["item"]));
    } else if (textOf(event["type"]).startsWith("response.")) {
      response = asObject(event["response"]) ?? response;
    }
  }
  if (response === undefined || listOf(response["output"]).length >= items.size) return response;
  const places = [...items].toSorted(([one], [other]) => one - other);
  return { ...response, output: places.map(([, item]) => item) };
}

/** A server may answer with a stream where none was asked for, or the other way round. */
export const otherMode: OtherMode = { toStream, toWhole };
