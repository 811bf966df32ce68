/** Reads the streams of Coze's bots as the events of an answer. */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalEvent } from "#canonical/event.ts";
import type { ReadUsage } from "#canonical/usage.ts";
import { type AnswerEvents, openAnswerEvents } from "#formats/shared/answer-events.ts";
import { numberOf, objectOf, parseJson, textOf } from "#formats/shared/read-json.ts";
import { openTokenCounts, readCounts, reportOf } from "#formats/shared/token-counts.ts";
import { answerFault, breakOff } from "#formats/shared/upstream-fault.ts";
import type { AnswerReader } from "#formats/translation.ts";

export function openReader(): AnswerReader {
  const events = openAnswerEvents();
  return {
    read(event, data) {
      readEvent(events, event, parseJson(data));
      return events.take();
    },
    end() {
      breakOff(events);
      return events.take();
    },
  };
}

/** What is no stream is an error. */
export function readAnswer(body: Json): CanonicalEvent[] {
  const events = openAnswerEvents();
  fail(events, objectOf(body));
  return events.take();
}

function readEvent(events: AnswerEvents, name: string, data: Json | undefined): void {
  const fields = objectOf(data);
  switch (name) {
    case "conversation.message.delta":
      events.start(textOf(fields["chat_id"]), "");
      events.reasoning(textOf(fields["reasoning_content"]));
      if (fields["type"] === "answer") events.text(textOf(fields["content"]));
      break;
    case "conversation.chat.completed":
      events.start(textOf(fields["id"]), "");
      events.endItem();
      events.usage(readUsage(fields["usage"]));
      events.finish({ reason: "complete", raw: textOf(fields["status"]), stopSequence: "" });
      break;
    case "conversation.chat.requires_action":
      events.report(readUsage(fields["usage"]));
      events.fault(answerFault("requires_action", "the bot waits for a tool that it calls itself"));
      break;
    case "conversation.chat.created":
    case "conversation.chat.in_progress":
      events.report(readUsage(fields["usage"]));
      break;
    case "conversation.chat.failed":
    case "error":
      events.report(readUsage(fields["usage"]));
      fail(events, objectOf(fields["last_error"] ?? data));
      break;
    default: // of whole messages, which repeat their pieces, and of other steps
  }
}

function fail(events: AnswerEvents, error: JsonObject): void {
  const code = numberOf(error["code"]);
  const message = textOf(error["msg"]) || "the upstream sent no answer";
  events.fault(answerFault(code === null ? "" : String(code), message));
}

function readUsage(raw: unknown): ReadUsage {
  const report = reportOf(raw);
  if (report === undefined) return { kind: "missing" };
  const counts = openTokenCounts();
  const found = {
    input: counts.count(report, "input_count"),
    output: counts.count(report, "output_count"),
    total: counts.count(report, "token_count"),
  };
  return readCounts(found, counts.wrong());
}
