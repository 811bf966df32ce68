/** Reads Messages answers, streamed or whole, as the events of an answer. */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalEvent, EndReason } from "#canonical/event.ts";
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
import { nativeIssuer } from "#formats/anthropic-messages/wire.ts";
import { answerFault, breakOff } from "#formats/shared/upstream-fault.ts";
import type { AnswerReader } from "#formats/translation.ts";
import { type HostedUses, readOutcome, writtenIn } from "./read-outcome.ts";
import { namedTier, readTier } from "./read-tier.ts";
import { mergeUsage, readUsage } from "./read-usage.ts";
import { answerTool } from "./write-request.ts";

const reasons: Readonly<Record<string, EndReason>> = {
  end_turn: "complete",
  stop_sequence: "stop-sequence",
  max_tokens: "length",
  tool_use: "tool-call",
  pause_turn: "paused",
  refusal: "refused",
  model_context_window_exceeded: "context-full",
  compaction: "length",
};

type Reading = {
  readonly events: AnswerEvents;
  readonly seed: string;
  /** The fields of all usage objects so far, for the service tier. */
  usage: JsonObject | undefined;
  stopReason: string;
  stopSequence: string;
  answered: boolean;
  calls: number;
  /** Whether the open block is the answer in the form of a tool's input. */
  inAnswerTool: boolean;
  answeredByTool: boolean;
  /** The open block of a tool that Anthropic runs, and the JSON of its input that came in pieces. */
  hosted: { readonly block: JsonObject; input: string } | null;
  readonly uses: HostedUses;
};

function begin(seed: string): Reading {
  return {
    events: openAnswerEvents(),
    seed,
    usage: undefined,
    stopReason: "",
    stopSequence: "",
    answered: false,
    calls: 0,
    inAnswerTool: false,
    answeredByTool: false,
    hosted: null,
    uses: new Map(),
  };
}

export function openReader(seed: string): AnswerReader {
  const reading = begin(seed);
  return {
    read(_, data) {
      readEvent(reading, parseJson(data));
      return reading.events.take();
    },
    end() {
      if (reading.stopReason === "") breakOff(reading.events);
      finish(reading);
      return reading.events.take();
    },
    reported: () => reading.events.reported(),
  };
}

export function readAnswer(body: Json, seed: string): CanonicalEvent[] {
  const reading = begin(seed);
  const message = objectOf(body);
  if (message["type"] === "error" || message["error"] !== undefined) fail(reading, message);
  else {
    readStart(reading, message);
    for (const [index, block] of listOf(message["content"]).entries()) {
      readBlock(reading, objectOf(block), index);
      endBlock(reading);
    }
    readStop(reading, message);
    readReport(reading, message["usage"]);
  }
  finish(reading);
  return reading.events.take();
}

function readEvent(reading: Reading, data: Json | undefined): void {
  const { events } = reading;
  if (data === undefined) {
    events.fault(answerFault("answer-malformed", "an event of the stream is not JSON"));
    return;
  }
  const event = objectOf(data);
  const index = numberOf(event["index"]) ?? 0;
  switch (event["type"]) {
    case "message_start": {
      const message = objectOf(event["message"]);
      readStart(reading, message);
      readReport(reading, message["usage"]);
      break;
    }
    case "content_block_start":
      events.endItem();
      readBlock(reading, objectOf(event["content_block"]), index);
      break;
    case "content_block_delta":
      readDelta(reading, objectOf(event["delta"]), index);
      break;
    case "content_block_stop":
      reading.inAnswerTool = false;
      endBlock(reading);
      break;
    case "message_delta":
      readStop(reading, objectOf(event["delta"]));
      readReport(reading, event["usage"]);
      break;
    case "message_stop":
      finish(reading);
      break;
    case "error":
      fail(reading, event);
      break;
    default:
      if (event["error"] !== undefined) fail(reading, event);
  }
}

function readStart(reading: Reading, message: JsonObject): void {
  reading.answered = true;
  const usage = asObject(message["usage"]);
  reading.events.start(textOf(message["id"]), textOf(message["model"]), namedTier(usage));
}

function readReport(reading: Reading, raw: Json | undefined): void {
  const usage = asObject(raw);
  if (usage === undefined) return;
  const all = mergeUsage(reading.usage, usage);
  reading.usage = all;
  reading.events.report(readUsage(usage), readTier(all, undefined), namedTier(all));
}

/** Reads a block: whole, or the beginning of one. */
function readBlock(reading: Reading, block: JsonObject, index: number): void {
  const { events } = reading;
  switch (block["type"]) {
    case "text":
      events.text(textOf(block["text"]), index);
      for (const each of listOf(block["citations"])) readCitation(events, objectOf(each));
      break;
    case "thinking":
      events.reasoning(textOf(block["thinking"]), index);
      readSignature(events, textOf(block["signature"]), "signature", index);
      break;
    case "redacted_thinking":
      readSignature(events, textOf(block["data"]), "encrypted", index);
      break;
    case "tool_use": {
      const name = textOf(block["name"]);
      const input = asObject(block["input"]);
      const args = input === undefined || Object.keys(input).length === 0 ? "" : argsOf(input);
      if (name === answerTool) {
        reading.inAnswerTool = true;
        reading.answeredByTool = true;
        events.text(args, index);
        break;
      }
      const callId = textOf(block["id"]) || madeId(`${reading.seed} ${reading.calls}`);
      reading.calls += 1;
      events.toolCall({ callId, name });
      events.args(args);
      break;
    }
    default:
      if (typeof block["type"] === "string") reading.hosted = { block, input: "" };
  }
}

function endBlock(reading: Reading): void {
  const { events, hosted } = reading;
  reading.hosted = null;
  if (hosted === null) events.endItem();
  else {
    const input = asObject(parseJson(hosted.input));
    const block = input === undefined ? hosted.block : { ...hosted.block, input };
    const outcome = readOutcome(reading.uses, block);
    events.hosted(nativeIssuer, block, { outcome, written: writtenIn(block) });
  }
}

function readDelta(reading: Reading, delta: JsonObject, index: number): void {
  const { events } = reading;
  switch (delta["type"]) {
    case "text_delta":
      events.text(textOf(delta["text"]), index);
      break;
    case "thinking_delta":
      events.reasoning(textOf(delta["thinking"]), index);
      break;
    case "signature_delta":
      readSignature(events, textOf(delta["signature"]), "signature", index);
      break;
    case "input_json_delta":
      if (reading.hosted !== null) reading.hosted.input += textOf(delta["partial_json"]);
      else if (reading.inAnswerTool) events.text(textOf(delta["partial_json"]), index);
      else events.args(textOf(delta["partial_json"]));
      break;
    case "citations_delta":
      readCitation(events, objectOf(delta["citation"]));
      break;
    default: // nothing that a client could use
  }
}

function readSignature(
  events: AnswerEvents,
  value: string,
  kind: "encrypted" | "signature",
  index: number,
): void {
  if (value !== "") events.opaque({ issuer: nativeIssuer, kind, value, id: "" }, index);
}

function readCitation(events: AnswerEvents, citation: JsonObject): void {
  events.citation({
    url: textOf(citation["url"]) || textOf(citation["source"]),
    title: textOf(citation["title"]) || textOf(citation["document_title"]),
    quote: textOf(citation["cited_text"]),
    start: null,
    end: null,
  });
}

function readStop(reading: Reading, fields: JsonObject): void {
  reading.stopReason = textOf(fields["stop_reason"]) || reading.stopReason;
  reading.stopSequence = textOf(fields["stop_sequence"]) || reading.stopSequence;
}

function fail({ events }: Reading, body: JsonObject): void {
  const error = objectOf(body["error"]);
  const message = textOf(error["message"]) || textOf(body["message"]);
  events.fault(answerFault(textOf(error["type"]), message));
}

function finish(reading: Reading): void {
  const { events, stopReason, stopSequence } = reading;
  if (events.hasEnded()) return;
  if (!reading.answered) {
    events.fault(answerFault("answer-truncated", "the upstream sent no answer"));
    return;
  }
  events.usage();
  const word = reading.answeredByTool && stopReason === "tool_use" ? "end_turn" : stopReason;
  events.finish(finishOf(word, reasons, events.calledTool(), stopSequence));
}
