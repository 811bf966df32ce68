/** Reads Responses answers, streamed or whole, as the events of an answer. */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalEvent, Finish } from "#canonical/event.ts";
import { judgeZero } from "#canonical/usage.ts";
import { type AnswerEvents, openAnswerEvents } from "#formats/shared/answer-events.ts";
import { readLogprobs } from "#formats/shared/logprobs/openai-logprobs.ts";
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
import { readOutcome, writtenIn } from "./read-outcome.ts";
import { readUsage } from "./read-usage.ts";
import { isByProgram } from "./resumed-program.ts";
import {
  type ItemName,
  openStreamedItems,
  type StreamedItem,
  type StreamedItems,
} from "./streamed-items.ts";

type Reading = {
  readonly events: AnswerEvents;
  readonly seed: string;
  readonly items: StreamedItems;
  /** The call that is open, and those that wait behind it: they are passed on one by one. */
  readonly calls: Map<StreamedItem, WaitingCall>;
  /** How many of the items that have ended are web searches. */
  searches: number;
};

/** A call as it began, and the whole item once it has ended. */
type WaitingCall = { readonly head: JsonObject; end: JsonObject | null };

function begin(seed: string): Reading {
  return {
    events: openAnswerEvents(),
    seed,
    items: openStreamedItems(),
    calls: new Map(),
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
  const delta = textOf(event["delta"]);
  switch (event["type"]) {
    case "response.created":
    case "response.in_progress":
      readStart(reading, objectOf(event["response"]));
      report(reading, objectOf(event["response"]));
      break;
    case "response.output_item.added":
      addItem(reading, objectOf(event["item"]), numberOf(event["output_index"]) ?? 0);
      break;
    case "response.output_text.delta":
      events.text(delta, streamedItem(reading, event, "message").block);
      events.logprobs(readLogprobs(event["logprobs"]));
      break;
    case "response.refusal.delta":
      events.refusal(delta, streamedItem(reading, event, "message").block);
      break;
    case "response.reasoning_summary_text.delta":
    case "response.reasoning_text.delta": {
      const isSummary = event["type"] !== "response.reasoning_text.delta";
      events.reasoning(delta, streamedItem(reading, event, "reasoning").block, isSummary);
      break;
    }
    case "response.output_text.annotation.added":
      readAnnotation(events, objectOf(event["annotation"]));
      break;
    case "response.function_call_arguments.delta":
      readArguments(reading, streamedItem(reading, event, "function_call"), delta);
      break;
    case "response.custom_tool_call_input.delta":
      readArguments(reading, streamedItem(reading, event, "custom_tool_call"), delta);
      break;
    case "response.output_item.done": {
      const item = objectOf(event["item"]);
      const found = reading.items.find(nameOf(item, numberOf(event["output_index"]) ?? 0));
      if (!found.ended) endItem(reading, item, found);
      break;
    }
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

/** Returns the item to which a piece belongs, and notes that its content is streamed. */
function streamedItem({ items }: Reading, event: JsonObject, kind: string): StreamedItem {
  const place = numberOf(event["output_index"]) ?? 0;
  const found = items.find({ id: textOf(event["item_id"]), place, kind, callId: "" });
  found.streamed = true;
  return found;
}

function nameOf(item: JsonObject, place: number): ItemName {
  const { id, type, call_id: callId } = item;
  return { id: textOf(id), place, kind: textOf(type), callId: textOf(callId) };
}

const noName: ItemName = { id: "", place: 0, kind: "", callId: "" };

function isCall(item: JsonObject): boolean {
  return item["type"] === "function_call" || item["type"] === "custom_tool_call";
}

function addItem(reading: Reading, item: JsonObject, place: number): void {
  const added = reading.items.add(nameOf(item, place));
  if (isCall(item)) addCall(reading, item, added);
  else reading.events.endItem();
}

/** Begins a call, or lets it wait until the call ahead has ended. */
function addCall(reading: Reading, head: JsonObject, call: StreamedItem): void {
  const { calls } = reading;
  if (call.called) return;
  call.called = true;
  if (calls.size === 0) beginCall(reading, head, call);
  calls.set(call, { head, end: null });
}

function beginCall({ events, seed }: Reading, head: JsonObject, call: StreamedItem): void {
  const callId = textOf(head["call_id"]) || textOf(head["id"]) || madeId(`${seed} ${call.block}`);
  const form = head["type"] === "custom_tool_call" ? "text" : "json";
  events.toolCall({ callId, name: textOf(head["name"]), form });
  events.args(call.pieces);
  call.pieces = "";
}

/** Passes on a piece of arguments. Those of a call that waits are kept until it begins. */
function readArguments({ calls, events }: Reading, call: StreamedItem, piece: string): void {
  const [open] = calls.keys();
  if (open === call) events.args(piece);
  else if (!call.ended) call.pieces += piece;
}

function endCall(reading: Reading, item: JsonObject, call: StreamedItem): void {
  addCall(reading, item, call);
  const waiting = reading.calls.get(call);
  if (waiting !== undefined) waiting.end = item;
  passCalls(reading, false);
}

/** Passes on the calls that have ended, one after the other, and begins the next one. */
function passCalls(reading: Reading, isEnd: boolean): void {
  const { calls, events } = reading;
  let isOpen = true;
  for (const [call, { head, end }] of calls) {
    if (!isOpen) beginCall(reading, head, call);
    isOpen = false;
    if (end === null && !isEnd) return;
    if (end !== null && !call.streamed) events.args(argsOf(end["arguments"] ?? end["input"] ?? ""));
    events.endItem();
    calls.delete(call);
  }
}

/** Ends an item. What was not streamed before is read from the whole item. */
function endItem(reading: Reading, item: JsonObject, ended: StreamedItem): void {
  const { events } = reading;
  ended.ended = true;
  if (isCall(item)) {
    endCall(reading, item, ended);
    return;
  }
  switch (item["type"]) {
    case "message":
      if (!ended.streamed) readContent(reading, item, ended.block);
      break;
    case "reasoning":
      readReasoning(events, item, ended.block, !ended.streamed);
      break;
    case "image_generation_call":
      readImage(events, textOf(item["result"]));
      break;
    default:
      if (isSearch(item)) {
        reading.searches += 1;
        events.searched(reading.searches);
      }
      if (textOf(item["type"]) !== "") {
        const outcome = readOutcome(item);
        events.hosted(nativeIssuer, item, { outcome, written: writtenIn(item) });
      }
  }
  events.endItem();
}

function readContent(reading: Reading, item: JsonObject, index: number): void {
  const { events } = reading;
  for (const each of listOf(item["content"])) {
    const part = objectOf(each);
    events.refusal(textOf(part["refusal"]), index);
    events.text(textOf(part["text"]), index);
    events.logprobs(readLogprobs(part["logprobs"]));
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
  const names = items.map((item, place) => nameOf(objectOf(item), place));
  const streamed = reading.items.matchAll(names);
  for (const [place, item] of items.entries()) {
    const name = names[place] ?? noName;
    const same = streamed[place] ?? reading.items.add({ ...name, id: "" });
    if (!same.ended) endItem(reading, objectOf(item), same);
  }
  passCalls(reading, true);
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
