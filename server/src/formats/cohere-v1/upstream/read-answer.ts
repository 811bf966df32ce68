/** Reads answers of Cohere's /v1/chat, streamed or whole, as the events of an answer. */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalEvent } from "#canonical/event.ts";
import { type AnswerEvents, openAnswerEvents } from "#formats/shared/answer-events.ts";
import { endAnswer, readCitation, readUsage } from "#formats/shared/upstream/cohere-words.ts";
import { listOf, objectOf, parseJson, textOf } from "#formats/shared/read-json.ts";
import { argsOf } from "#formats/shared/tool-args.ts";
import { madeId } from "#formats/shared/tool-ids.ts";
import { answerFault, breakOff } from "#formats/shared/upstream-fault.ts";
import type { AnswerReader } from "#formats/translation.ts";

export function openReader(seed: string): AnswerReader {
  const events = openAnswerEvents();
  return {
    read(_, data) {
      readEvent(events, parseJson(data), seed);
      return events.take();
    },
    end() {
      breakOff(events);
      return events.take();
    },
  };
}

export function readAnswer(body: Json, seed: string): CanonicalEvent[] {
  const events = openAnswerEvents();
  const answer = objectOf(body);
  if (typeof answer["text"] !== "string") {
    events.fault(answerFault("", textOf(answer["message"]) || "the upstream sent no answer"));
    return events.take();
  }
  events.start(textOf(answer["response_id"]), "");
  events.text(answer["text"]);
  readCitations(events, answer);
  readCalls(events, answer, seed);
  end(events, answer);
  return events.take();
}

function readEvent(events: AnswerEvents, data: Json | undefined, seed: string): void {
  if (data === undefined) {
    events.fault(answerFault("answer-malformed", "a line of the stream is not JSON"));
    return;
  }
  const event = objectOf(data);
  switch (event["event_type"]) {
    case "stream-start":
      events.start(textOf(event["generation_id"]), "");
      break;
    case "text-generation":
      events.text(textOf(event["text"]));
      break;
    case "citation-generation":
      readCitations(events, event);
      break;
    case "tool-calls-generation":
      readCalls(events, event, seed);
      break;
    case "stream-end":
      end(events, { ...objectOf(event["response"]), finish_reason: event["finish_reason"] ?? "" });
      break;
    default: // of other steps; an error has a message and no type
      if (event["event_type"] === undefined && typeof event["message"] === "string") {
        events.fault(answerFault("", event["message"]));
      }
  }
}

function readCitations(events: AnswerEvents, fields: JsonObject): void {
  for (const each of listOf(fields["citations"])) events.citation(readCitation(objectOf(each)));
}

/** Calls have no ids, and their parameters are an object. */
function readCalls(events: AnswerEvents, fields: JsonObject, seed: string): void {
  for (const [index, each] of listOf(fields["tool_calls"]).entries()) {
    const call = objectOf(each);
    events.toolCall({ callId: madeId(`${seed} ${index}`), name: textOf(call["name"]) });
    events.args(argsOf(call["parameters"]));
  }
}

function end(events: AnswerEvents, fields: JsonObject): void {
  events.endItem();
  events.usage(readUsage(fields["meta"]));
  endAnswer(events, textOf(fields["finish_reason"]), textOf(fields["error"]));
}
