/** Reads answers of Dify apps, streamed or whole, as the events of an answer. */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalEvent } from "#canonical/event.ts";
import { type AnswerEvents, openAnswerEvents } from "#formats/shared/answer-events.ts";
import { asObject, objectOf, parseJson, textOf } from "#formats/shared/read-json.ts";
import { promptUsage } from "#formats/shared/token-counts.ts";
import { answerFault, breakOff } from "#formats/shared/upstream-fault.ts";
import type { AnswerReader } from "#formats/translation.ts";

export function openReader(): AnswerReader {
  const events = openAnswerEvents();
  return {
    read(_, data) {
      readEvent(events, objectOf(parseJson(data)));
      return events.take();
    },
    end() {
      breakOff(events);
      return events.take();
    },
  };
}

export function readAnswer(body: Json): CanonicalEvent[] {
  const events = openAnswerEvents();
  const answer = objectOf(body);
  const data = asObject(answer["data"]);
  if (data !== undefined) readWorkflow(events, answer, data);
  else if (typeof answer["answer"] === "string") {
    begin(events, answer);
    events.text(answer["answer"]);
    end(events, objectOf(answer["metadata"])["usage"]);
  } else fail(events, answer);
  return events.take();
}

function readEvent(events: AnswerEvents, event: JsonObject): void {
  switch (event["event"]) {
    case "message":
    case "agent_message":
      begin(events, event);
      events.text(textOf(event["answer"]));
      break;
    case "agent_thought":
      begin(events, event);
      events.reasoning(textOf(event["thought"]));
      break;
    case "text_chunk":
      begin(events, event);
      events.text(textOf(objectOf(event["data"])["text"]));
      break;
    case "message_end":
      begin(events, event);
      end(events, objectOf(event["metadata"])["usage"]);
      break;
    case "message_replace":
      // What was sent is withdrawn, because it was moderated.
      events.fault(answerFault("content_filter", "the upstream withdrew its answer"));
      break;
    case "workflow_finished":
      // Chats go on until their own end.
      if (event["conversation_id"] === undefined) {
        readWorkflow(events, event, objectOf(event["data"]));
      }
      break;
    case "error":
      fail(events, event);
      break;
    default: // of steps that have no text for the client
  }
}

/** Reads the end of a workflow; its outputs are the answer unless it was streamed in pieces. */
function readWorkflow(events: AnswerEvents, event: JsonObject, data: JsonObject): void {
  const error = textOf(data["error"]);
  if (error !== "" || data["status"] === "failed") {
    events.fault(answerFault("workflow_failed", error || "the upstream's workflow failed"));
    return;
  }
  begin(events, event);
  const outputs = objectOf(data["outputs"]);
  const texts = Object.values(outputs).filter((value) => typeof value === "string");
  if (!events.hasText()) events.text(texts[0] ?? JSON.stringify(outputs));
  end(events, undefined);
}

function begin(events: AnswerEvents, event: JsonObject): void {
  events.start(textOf(event["message_id"]) || textOf(event["workflow_run_id"]), "");
}

function end(events: AnswerEvents, usage: Json | undefined): void {
  events.endItem();
  events.usage(promptUsage(usage));
  events.finish({ reason: "complete", raw: "", stopSequence: "" });
}

function fail(events: AnswerEvents, fields: JsonObject): void {
  const message = textOf(fields["message"]) || "the upstream sent no answer";
  events.fault(answerFault(textOf(fields["code"]), message));
}
