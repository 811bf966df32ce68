/** Reads Converse answers, streamed or whole, as the events of an answer. */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalEvent, EndReason } from "#canonical/event.ts";
import { nativeIssuer } from "#formats/bedrock-converse/wire.ts";
import { type AnswerEvents, openAnswerEvents } from "#formats/shared/answer-events.ts";
import { finishOf } from "#formats/shared/finish.ts";
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
import { servedOpenAi } from "#formats/shared/tiers/service-tiers.ts";
import { readUsage } from "./read-usage.ts";

const reasons: Readonly<Record<string, EndReason>> = {
  end_turn: "complete",
  stop_sequence: "stop-sequence",
  max_tokens: "length",
  tool_use: "tool-call",
  content_filtered: "refused",
  guardrail_intervened: "refused",
  model_context_window_exceeded: "context-full",
};

type Reading = {
  readonly events: AnswerEvents;
  readonly seed: string;
  stopReason: string;
  answered: boolean;
  calls: number;
};

function begin(seed: string): Reading {
  const events = openAnswerEvents();
  return { events, seed, stopReason: "", answered: false, calls: 0 };
}

export function openReader(seed: string): AnswerReader {
  const reading = begin(seed);
  return {
    read(event, data) {
      readEvent(reading, event, parseJson(data));
      return reading.events.take();
    },
    end() {
      // The usage follows the reason to stop; without it the answer is complete all the same.
      if (reading.stopReason === "") breakOff(reading.events);
      finish(reading);
      return reading.events.take();
    },
  };
}

export function readAnswer(body: Json, seed: string): CanonicalEvent[] {
  const reading = begin(seed);
  const { events } = reading;
  const answer = objectOf(body);
  const message = asObject(objectOf(answer["output"])["message"]);
  if (message === undefined) {
    const text = textOf(answer["message"]) || textOf(answer["Message"]);
    events.fault(answerFault("", text || "the upstream sent no answer"));
    return events.take();
  }
  start(reading);
  for (const [index, each] of listOf(message["content"]).entries()) {
    readBlock(reading, objectOf(each), index);
  }
  reading.stopReason = textOf(answer["stopReason"]);
  report(reading, answer);
  finish(reading);
  return events.take();
}

function readEvent(reading: Reading, name: string, data: Json | undefined): void {
  const { events } = reading;
  const event = objectOf(data);
  const index = numberOf(event["contentBlockIndex"]) ?? 0;
  switch (name) {
    case "messageStart":
      start(reading);
      break;
    case "contentBlockStart":
      start(reading);
      readBlock(reading, objectOf(event["start"]), index);
      break;
    case "contentBlockDelta":
      start(reading);
      readDelta(reading, objectOf(event["delta"]), index);
      break;
    case "messageStop":
      reading.stopReason = textOf(event["stopReason"]) || "end_turn";
      break;
    case "metadata":
      // It mostly follows the reason to stop. One that comes before it may not be the last.
      report(reading, event);
      if (reading.stopReason !== "") finish(reading);
      break;
    default:
      if (name === "error" || name.toLowerCase().endsWith("exception")) {
        const code = name === "error" ? textOf(event["code"]) : name;
        events.fault(answerFault(code, textOf(event["message"])));
      }
  }
}

function report(reading: Reading, fields: JsonObject): void {
  const tier = servedOpenAi(textOf(objectOf(fields["serviceTier"])["type"]));
  reading.events.report(readUsage(fields["usage"]), tier);
}

function start(reading: Reading): void {
  reading.answered = true;
  reading.events.start("", "");
}

/** Reads a block: whole, or the beginning of one. */
function readBlock(reading: Reading, block: JsonObject, index: number): void {
  const { events } = reading;
  const call = asObject(block["toolUse"]);
  const cited = asObject(block["citationsContent"]);
  const result = asObject(block["toolResult"]);
  if (call?.["type"] === "server_tool_use") readHosted(events, block);
  else if (call !== undefined) readCall(reading, call);
  else if (cited !== undefined) {
    for (const each of listOf(cited["content"])) events.text(textOf(objectOf(each)["text"]));
    for (const each of listOf(cited["citations"])) readCitation(events, objectOf(each));
  } else if (result !== undefined) readHosted(events, block);
  else readDelta(reading, block, index);
}

function readCall(reading: Reading, call: JsonObject): void {
  const { events, seed } = reading;
  const callId = textOf(call["toolUseId"]) || madeId(`${seed} ${reading.calls}`);
  reading.calls += 1;
  events.toolCall({ callId, name: textOf(call["name"]) });
  if (call["input"] !== undefined) events.args(argsOf(call["input"]));
}

/**
 * Reads a call of a tool that Bedrock itself runs, or its result. In streams their content would
 * follow in pieces that clients have no use for, so these are passed over.
 */
function readHosted(events: AnswerEvents, block: JsonObject): void {
  const { input, content } = objectOf(block["toolUse"] ?? block["toolResult"]);
  if (input === undefined && content === undefined) return;
  events.hosted(nativeIssuer, block, { written: input === undefined ? "" : argsOf(input) });
}

/**
 * Reads a piece of a block. Pieces of text join whatever their block, because guardrails give each
 * word one of its own.
 */
function readDelta({ events }: Reading, delta: JsonObject, index: number): void {
  events.text(textOf(delta["text"]));
  const call = asObject(delta["toolUse"]);
  if (call !== undefined) events.args(textOf(call["input"]));
  const citation = asObject(delta["citation"]);
  if (citation !== undefined) readCitation(events, citation);
  const thought = asObject(delta["reasoningContent"]);
  if (thought === undefined) return;
  // Whole blocks have the text and its signature one level deeper.
  const { redactedContent, signature, text } = {
    ...thought,
    ...asObject(thought["reasoningText"]),
  };
  events.reasoning(textOf(text), index);
  readOpaque(events, textOf(signature), "signature", index);
  readOpaque(events, textOf(redactedContent), "encrypted", index);
}

function readOpaque(
  events: AnswerEvents,
  value: string,
  kind: "encrypted" | "signature",
  index: number,
): void {
  if (value !== "") events.opaque({ issuer: nativeIssuer, kind, value, id: "" }, index);
}

function readCitation(events: AnswerEvents, citation: JsonObject): void {
  const web = objectOf(objectOf(citation["location"])["web"]);
  const quotes = listOf(citation["sourceContent"]).map((each) => textOf(objectOf(each)["text"]));
  events.citation({
    url: textOf(web["url"]) || textOf(citation["source"]),
    title: textOf(citation["title"]) || textOf(web["domain"]),
    quote: quotes.join(""),
    start: null,
    end: null,
  });
}

function finish(reading: Reading): void {
  const { events, stopReason } = reading;
  if (events.hasEnded()) return;
  if (!reading.answered) {
    events.fault(answerFault("answer-truncated", "the upstream sent no answer"));
    return;
  }
  if (stopReason.startsWith("malformed_")) {
    events.fault(answerFault(stopReason, "the model's answer or call of a tool was malformed"));
    return;
  }
  events.endItem();
  events.usage();
  events.finish(finishOf(stopReason, reasons, events.calledTool()));
}
