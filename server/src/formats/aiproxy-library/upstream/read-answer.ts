/**
 * Reads answers of AI Proxy's knowledge bases, streamed or whole, as the events of an answer. None
 * reports usage.
 */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalEvent } from "#canonical/event.ts";
import { type AnswerEvents, openAnswerEvents } from "#formats/shared/answer-events.ts";
import { listOf, objectOf, parseJson, textOf } from "#formats/shared/read-json.ts";
import { readErrorBody } from "#formats/shared/read-error.ts";
import { answerFault, breakOff } from "#formats/shared/upstream-fault.ts";
import type { AnswerReader } from "#formats/translation.ts";

export function openReader(): AnswerReader {
  const events = openAnswerEvents();
  return {
    read(_, data) {
      const part = objectOf(parseJson(data));
      if (typeof part["content"] !== "string") fail(events, part);
      else readPart(events, part, part["content"], part["finish"] === true);
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
  if (answer["success"] !== true || typeof answer["answer"] !== "string") fail(events, answer);
  else readPart(events, answer, answer["answer"], true);
  return events.take();
}

function readPart(events: AnswerEvents, part: JsonObject, text: string, isLast: boolean): void {
  events.start("", textOf(part["model"]));
  events.text(text);
  if (!isLast) return;
  for (const document of listOf(part["documents"])) {
    const { title, url } = objectOf(document);
    const none = { quote: "", start: null, end: null };
    if (textOf(url) !== "") events.citation({ url: textOf(url), title: textOf(title), ...none });
  }
  events.endItem();
  events.usage({ kind: "missing" });
  events.finish({ reason: "complete", raw: "", stopSequence: "" });
}

function fail(events: AnswerEvents, fields: JsonObject): void {
  const code = fields["errCode"] ?? fields["err_code"];
  const message = readErrorBody(fields)?.message ?? "";
  events.fault(
    answerFault(
      typeof code === "number" ? String(code) : textOf(code),
      message || "the upstream sent no answer",
    ),
  );
}
