/** Reads Responses answers, streamed or whole, as the events of an answer. */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalEvent, Finish, TokenLogprob } from "#canonical/event.ts";
import { judgeZero } from "#canonical/usage.ts";
import { type AnswerEvents, openAnswerEvents } from "#formats/shared/answer-events.ts";
import {
  asObject,
  listOf,
  numberOf,
  objectOf,
  parseJson,
  textOf,
} from "#formats/shared/read-json.ts";
import { argsOf } from "#formats/shared/tool-args.ts";
import { madeId } from "#formats/shared/tool-ids.ts";
import { answerFault, breakOff } from "#formats/shared/upstream-fault.ts";
import type { AnswerReader } from "#formats/translation.ts";
import { nativeIssuer } from "#formats/openai-responses/wire.ts";
import { servedOpenAi } from "#formats/shared/tiers/service-tiers.ts";
import { isSearch } from "./count-searches.ts";
import { readUsage } from "./read-usage.ts";
import { isByProgram } from "./resumed-program.ts";

type Reading = {
  readonly events: AnswerEvents;
  readonly seed: string;
  /** Items whose content has been streamed, so that their end does not repeat it. */
  readonly streamed: Set<number>;
  /** Items that have ended, so that the whole answer does not repeat them. */
  readonly ended: Set<number>;
  /** Calls that have begun. */
  readonly called: Set<number>;
  /** How many of the items that have ended are web searches. */
  searches: number;
};

function begin(seed: string): Reading {
  return {
    events: openAnswerEvents(),
    seed,
    streamed: new Set(),
    ended: new Set(),
    called: new Set(),
    searches: 0,
  };
}

export function openReader(seed: string): AnswerReader {
  const reading = begin(seed);
  return {
    read(_, data) {
      // OpenRouter ends the stream as in the chat format.
      if (data.trim() !== "[DONE]") readEvent(reading, parseJson(data));
      return reading.events.take();
    },
    end() {
      breakOff(reading.events);
      return reading.events.take();
    },
  };
}

export function readAnswer(body: Json, seed: string): CanonicalEvent[] {
  const reading = begin(seed);
  const response = objectOf(body);
  readStart(reading, response);
  readEnd(reading, response);
  return reading.events.take();
}

function readEvent(reading: Reading, data: Json | undefined): void {
  const { events } = reading;
  if (data === undefined) {
    events.fault(answerFault("answer-malformed", "an event of the stream is not JSON"));
    return;
  }
  const event = objectOf(data);
  const index = numberOf(event["output_index"]) ?? 0;
  const delta = textOf(event["delta"]);
  switch (event["type"]) {
    case "response.created":
    case "response.in_progress":
      readStart(reading, objectOf(event["response"]));
      report(reading, objectOf(event["response"]));
      break;
    case "response.output_item.added":
      addItem(reading, objectOf(event["item"]), index);
      break;
    case "response.output_text.delta":
      reading.streamed.add(index);
      events.text(delta, index);
      events.logprobs(listOf(event["logprobs"]).map(readLogprob));
      break;
    case "response.refusal.delta":
      reading.streamed.add(index);
      events.refusal(delta, index);
      break;
    case "response.reasoning_summary_text.delta":
    case "response.reasoning_text.delta":
      reading.streamed.add(index);
      events.reasoning(delta, index, event["type"] !== "response.reasoning_text.delta");
      break;
    case "response.output_text.annotation.added":
      readAnnotation(events, objectOf(event["annotation"]));
      break;
    case "response.function_call_arguments.delta":
    case "response.custom_tool_call_input.delta":
      reading.streamed.add(index);
      events.args(delta);
      break;
    case "response.output_item.done":
      endItem(reading, objectOf(event["item"]), index);
      break;
    case "response.completed":
    case "response.incomplete":
    case "response.failed":
      readEnd(reading, objectOf(event["response"]));
      break;
    case "error":
      fail(reading, asObject(event["error"]) ?? event);
      break;
    default: // progress of hosted tools, and repetitions of what the deltas said
      if (event["type"] === undefined && event["error"] !== undefined) {
        fail(reading, objectOf(event["error"]));
      }
  }
}

function readStart({ events }: Reading, response: JsonObject): void {
  const id = textOf(response["id"]);
  if (id !== "" || textOf(response["object"]) === "response") {
    events.start(id, textOf(response["model"]));
  }
}

function report({ events }: Reading, response: JsonObject): void {
  events.report(judgeZero(readUsage(response["usage"]), isByProgram(response)));
}

function addItem(reading: Reading, item: JsonObject, index: number): void {
  reading.events.endItem();
  if (item["type"] === "function_call" || item["type"] === "custom_tool_call") {
    beginCall(reading, item, index);
  }
}

function beginCall({ events, called, seed }: Reading, item: JsonObject, index: number): void {
  called.add(index);
  const callId = textOf(item["call_id"]) || textOf(item["id"]) || madeId(`${seed} ${index}`);
  const form = item["type"] === "custom_tool_call" ? "text" : "json";
  events.toolCall({ callId, name: textOf(item["name"]), form });
}

/** Ends an item. What was not streamed before is read from the whole item. */
function endItem(reading: Reading, item: JsonObject, index: number): void {
  const { events, streamed, ended, called } = reading;
  if (ended.has(index)) return;
  ended.add(index);
  const isNew = !streamed.has(index);
  switch (item["type"]) {
    case "message":
      if (isNew) readContent(reading, item, index);
      break;
    case "reasoning":
      readReasoning(events, item, index, isNew);
      break;
    case "function_call":
    case "custom_tool_call":
      if (!called.has(index)) beginCall(reading, item, index);
      if (isNew) events.args(argsOf(item["arguments"] ?? item["input"] ?? ""));
      break;
    case "image_generation_call":
      readImage(events, textOf(item["result"]));
      break;
    default:
      if (isSearch(item)) {
        reading.searches += 1;
        events.searched(reading.searches);
      }
      if (textOf(item["type"]) !== "") events.hosted(nativeIssuer, item);
  }
  events.endItem();
}

function readContent(reading: Reading, item: JsonObject, index: number): void {
  const { events } = reading;
  for (const each of listOf(item["content"])) {
    const part = objectOf(each);
    events.refusal(textOf(part["refusal"]), index);
    events.text(textOf(part["text"]), index);
    events.logprobs(listOf(part["logprobs"]).map(readLogprob));
    for (const one of listOf(part["annotations"])) readAnnotation(events, objectOf(one));
  }
}

function readReasoning(
  events: AnswerEvents,
  item: JsonObject,
  index: number,
  isNew: boolean,
): void {
  const content = listOf(item["content"]);
  const pieces = content.length > 0 ? content : listOf(item["summary"]);
  if (isNew) {
    for (const piece of pieces) {
      events.reasoning(textOf(objectOf(piece)["text"]), index, content.length === 0);
    }
  }
  const value = textOf(item["encrypted_content"]);
  if (value === "") return;
  const id = textOf(item["id"]);
  events.opaque({ issuer: nativeIssuer, kind: "encrypted", value, id }, index);
}

function readImage(events: AnswerEvents, data: string): void {
  if (data === "") return;
  const source = { type: "bytes", data } as const;
  const mediaType = "image/png";
  const given = { kind: "image", source, mediaType, name: "", detail: null, cache: null } as const;
  events.media({ type: "media", ...given });
}

function readAnnotation(events: AnswerEvents, annotation: JsonObject): void {
  events.citation({
    url: textOf(annotation["url"]),
    title: textOf(annotation["title"]) || textOf(annotation["filename"]),
    quote: "",
    start: numberOf(annotation["start_index"]),
    end: numberOf(annotation["end_index"]),
  });
}

function readLogprob(each: Json): TokenLogprob {
  const { top_logprobs: top } = objectOf(each);
  const alternatives = listOf(top).map((other) => readToken(objectOf(other)));
  return { ...readToken(objectOf(each)), top: alternatives };
}

function readToken({ token, logprob, bytes }: JsonObject): Omit<TokenLogprob, "top"> {
  const list = Array.isArray(bytes) ? listOf(bytes).map((byte) => numberOf(byte) ?? 0) : null;
  return { token: textOf(token), logprob: numberOf(logprob) ?? 0, bytes: list };
}

/** What an answer is that goes on in the background, or that was ended there. */
const unfinished: ReadonlySet<string> = new Set(["cancelled", "in_progress", "queued"]);

/** Reads the whole answer, which closes a stream. Items that were not streamed are read now. */
function readEnd(reading: Reading, response: JsonObject): void {
  const { events } = reading;
  const error = asObject(response["error"]);
  if (error !== undefined || response["status"] === "failed") {
    report(reading, response);
    fail(reading, error ?? {});
    return;
  }
  if (response["output"] === undefined && response["status"] === undefined) {
    events.fault(answerFault("answer-malformed", textOf(response["message"]) || "no answer"));
    return;
  }
  readStart(reading, response);
  const items = listOf(response["output"]);
  const status = textOf(response["status"]);
  if (status === "cancelled" && items.length === 0) {
    report(reading, response);
    events.fault(answerFault("answer-cancelled", "the upstream's response was cancelled"));
    return;
  }
  for (const [index, item] of items.entries()) endItem(reading, objectOf(item), index);
  report(reading, response);
  events.usage({ kind: "missing" }, servedOpenAi(textOf(response["service_tier"])));
  events.finish(finishOf(reading, response));
}

function finishOf({ events }: Reading, response: JsonObject): Finish {
  const raw = textOf(response["status"]);
  const { reason } = objectOf(response["incomplete_details"]);
  const end = (kind: Finish["reason"], word: string): Finish => ({
    reason: kind,
    raw: word,
    stopSequence: "",
  });
  if (reason === "max_output_tokens") return end("length", `${raw}:${reason}`);
  if (reason === "content_filter") return end("refused", `${raw}:${reason}`);
  // It goes on where clients of other formats cannot follow, so that for them it was cut off.
  if (unfinished.has(raw)) return end("length", raw);
  if (events.calledTool()) return end("tool-call", raw);
  return end("complete", raw);
}

function fail({ events }: Reading, error: JsonObject): void {
  const code = textOf(error["code"]) || textOf(error["type"]);
  events.fault(answerFault(code, textOf(error["message"])));
}
