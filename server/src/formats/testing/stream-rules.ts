/**
 * The rules of each client format's streams that strict clients rely on. Lenient ones accept more,
 * so only a check of the rules shows that a stream is right.
 */

import { parseJson, listOf, objectOf, textOf, numberOf } from "#formats/shared/read-json.ts";
import type { Frame } from "#base/frames/frame.ts";
import type { JsonObject } from "#base/json.ts";

/** Returns what is wrong with a stream; empty: nothing. */
type StreamRules = (frames: readonly Frame[]) => string[];

const chat: StreamRules = (frames) => {
  const wrong: string[] = [];
  if (frames.at(-1)?.data !== "[DONE]") wrong.push("does not end with [DONE]");
  let finishes = 0;
  const ids = new Map<number, string>();
  for (const { data } of frames) {
    if (data === "[DONE]") continue;
    const chunk = objectOf(parseJson(data));
    if (chunk["error"] !== undefined) continue;
    if (chunk["object"] !== "chat.completion.chunk") wrong.push("not a chunk");
    for (const each of listOf(chunk["choices"])) {
      const choice = objectOf(each);
      if (textOf(choice["finish_reason"]) !== "") finishes += 1;
      for (const one of listOf(objectOf(choice["delta"])["tool_calls"])) {
        const call = objectOf(one);
        const index = numberOf(call["index"]);
        const id = textOf(call["id"]);
        if (index === null) wrong.push("a piece of a call without an index");
        else if (id !== "") {
          if (ids.has(index)) wrong.push("a call begins twice");
          ids.set(index, id);
        } else if (!ids.has(index)) wrong.push("a call begins without an id");
        if (call["function"] === undefined && call["custom"] === undefined) {
          wrong.push("a piece of a call without what is called");
        }
      }
    }
  }
  if (finishes !== 1) wrong.push(`${finishes} finish reasons`);
  return wrong;
};

const messages: StreamRules = (frames) => {
  const wrong: string[] = [];
  const seen: string[] = [];
  let open = -1;
  let next = 0;
  for (const { event, data } of frames) {
    const fields = objectOf(parseJson(data));
    const type = textOf(fields["type"]);
    if (type !== event) wrong.push(`event ${event} has type ${type}`);
    seen.push(type);
    const index = numberOf(fields["index"]);
    switch (type) {
      case "content_block_start":
        if (open >= 0) wrong.push("a block opens inside a block");
        if (index !== next) wrong.push("the index of a block jumps");
        open = index ?? -1;
        next += 1;
        break;
      case "content_block_delta":
        if (index !== open) wrong.push("a piece outside of its block");
        break;
      case "content_block_stop":
        if (index !== open) wrong.push("a block ends that is not open");
        open = -1;
        break;
      case "message_delta":
        if (open >= 0) wrong.push("the message ends inside a block");
        break;
      default:
    }
  }
  for (const type of ["message_start", "message_delta", "message_stop"]) {
    const count = seen.filter((each) => each === type).length;
    if (count !== 1) wrong.push(`${count} × ${type}`);
  }
  if (seen[0] !== "message_start" || seen.at(-1) !== "message_stop") wrong.push("order of events");
  return wrong;
};

const responses: StreamRules = (frames) => {
  const wrong: string[] = [];
  const open = new Set<number>();
  const parts = new Set<string>();
  const texts = new Map<number, string>();
  const types: string[] = [];
  const check = (fields: JsonObject, type: string): void => {
    const output = numberOf(fields["output_index"]) ?? -1;
    const part = `${output}:${numberOf(fields["content_index"])}`;
    switch (type) {
      case "response.output_item.added":
        if (open.has(output)) wrong.push("an item begins twice");
        open.add(output);
        break;
      case "response.content_part.added":
        parts.add(part);
        break;
      case "response.output_text.delta":
        if (!parts.has(part)) wrong.push("a text without its part");
        texts.set(output, (texts.get(output) ?? "") + textOf(fields["delta"]));
        break;
      case "response.output_item.done": {
        if (!open.delete(output)) wrong.push("an item ends that is not open");
        const item = objectOf(fields["item"]);
        const said = listOf(item["content"])
          .map((each) => textOf(objectOf(each)["text"]))
          .join("");
        if (said !== (texts.get(output) ?? "")) {
          wrong.push("the item's text differs from its pieces");
        }
        break;
      }
      default:
        if (type.endsWith(".delta") && output >= 0 && !open.has(output)) {
          wrong.push("a piece outside of its item");
        }
    }
  };
  for (const [index, { event, data }] of frames.entries()) {
    const fields = objectOf(parseJson(data));
    const type = textOf(fields["type"]);
    types.push(type);
    if (type !== event) wrong.push(`event ${event} has type ${type}`);
    if (fields["sequence_number"] !== index) wrong.push("the numbers of the events have a gap");
    check(fields, type);
  }
  if (types[0] !== "response.created") wrong.push("does not begin with response.created");
  if (!/^response\.(completed|failed|incomplete)$/.test(types.at(-1) ?? "")) wrong.push("no end");
  if (open.size > 0) wrong.push("an item does not end");
  return wrong;
};

const gemini: StreamRules = (frames) => {
  const bodies = frames.map(({ data }) => objectOf(parseJson(data)));
  const reasons = bodies.filter((body) =>
    listOf(body["candidates"]).some((each) => textOf(objectOf(each)["finishReason"]) !== ""),
  );
  const wrong = reasons.length === 1 ? [] : [`${reasons.length} finish reasons`];
  if (reasons[0] !== bodies.at(-1)) wrong.push("content follows the finish reason");
  return wrong;
};

export const streamRules = {
  "anthropic-messages": messages,
  "gemini-generate": gemini,
  "openai-chat": chat,
  "openai-responses": responses,
} as const satisfies Record<string, StreamRules>;
