/** Reads answers of Cohere's /v2/chat, streamed or whole, as the events of an answer. */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalEvent } from "#canonical/event.ts";
import { type AnswerEvents, openAnswerEvents } from "#formats/shared/answer-events.ts";
import { endAnswer, readCitation, readUsage } from "#formats/shared/upstream/cohere-words.ts";
import { asObject, listOf, objectOf, parseJson, textOf } from "#formats/shared/read-json.ts";
import { argsOf } from "#formats/shared/tool-args.ts";
import { madeId } from "#formats/shared/tool-ids.ts";
import { answerFault, breakOff } from "#formats/shared/upstream-fault.ts";
import type { AnswerReader } from "#formats/translation.ts";

type Reading = { readonly events: AnswerEvents; readonly seed: string; calls: number };

export function openReader(seed: string): AnswerReader {
  const reading: Reading = { events: openAnswerEvents(), seed, calls: 0 };
  return {
    read(_, data) {
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
  const reading: Reading = { events: openAnswerEvents(), seed, calls: 0 };
  const { events } = reading;
  const answer = objectOf(body);
  const message = asObject(answer["message"]);
  if (message === undefined) {
    const code = textOf(answer["error_type"]);
    events.fault(answerFault(code, textOf(answer["message"]) || "the upstream sent no answer"));
    return events.take();
  }
  events.start(textOf(answer["id"]), "");
  events.reasoning(textOf(message["tool_plan"]));
  for (const [index, each] of listOf(message["content"]).entries()) {
    readContent(events, objectOf(each), index);
  }
  for (const each of listOf(message["citations"])) events.citation(readCitation(objectOf(each)));
  for (const each of listOf(message["tool_calls"])) beginCall(reading, objectOf(each));
  end(events, answer);
  return events.take();
}

function readEvent(reading: Reading, data: Json | undefined): void {
  const { events } = reading;
  if (data === undefined) {
    events.fault(answerFault("answer-malformed", "an event of the stream is not JSON"));
    return;
  }
  const event = objectOf(data);
  const delta = objectOf(event["delta"]);
  const message = objectOf(delta["message"]);
  const index = typeof event["index"] === "number" ? event["index"] : 0;
  switch (event["type"]) {
    case "message-start":
      events.start(textOf(event["id"]), "");
      break;
    case "tool-plan-delta":
      events.reasoning(textOf(message["tool_plan"]));
      break;
    case "content-start":
    case "content-delta":
      readContent(events, objectOf(message["content"]), index);
      break;
    case "citation-start":
      events.citation(readCitation(objectOf(message["citations"])));
      break;
    case "tool-call-start":
      beginCall(reading, objectOf(message["tool_calls"]));
      break;
    case "tool-call-delta": {
      const called = objectOf(objectOf(message["tool_calls"])["function"]);
      events.args(textOf(called["arguments"]));
      break;
    }
    case "tool-call-end":
      events.endItem();
      break;
    case "message-end":
      end(events, delta);
      break;
    default: // of other steps; an error has a message and no type
      if (event["type"] === undefined && typeof event["message"] === "string") {
        events.fault(answerFault(textOf(event["error_type"]), event["message"]));
      }
  }
}

function readContent(events: AnswerEvents, content: JsonObject, index: number): void {
  events.reasoning(textOf(content["thinking"]), index);
  events.text(textOf(content["text"]), index);
}

function beginCall(reading: Reading, call: JsonObject): void {
  const { events, seed } = reading;
  const called = objectOf(call["function"]);
  const callId = textOf(call["id"]) || madeId(`${seed} ${reading.calls}`);
  reading.calls += 1;
  events.toolCall({ callId, name: textOf(called["name"]) });
  const given = called["arguments"];
  if (given !== undefined && given !== null) events.args(argsOf(given));
}

function end(events: AnswerEvents, fields: JsonObject): void {
  events.endItem();
  events.usage(readUsage(fields["usage"]));
  endAnswer(events, textOf(fields["finish_reason"]), textOf(fields["error"]));
}
