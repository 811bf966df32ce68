/** Reads answers of PaLM, which are never streamed and report no usage, as the events of an answer. */

import type { Json } from "#base/json.ts";
import type { CanonicalEvent } from "#canonical/event.ts";
import { openAnswerEvents } from "#formats/shared/answer-events.ts";
import { listOf, objectOf, parseJson, textOf } from "#formats/shared/read-json.ts";
import { readErrorBody } from "#formats/shared/read-error.ts";
import { answerFault } from "#formats/shared/upstream-fault.ts";
import type { AnswerReader } from "#formats/translation.ts";

export function openReader(): AnswerReader {
  let isRead = false;
  return {
    read(_, data) {
      isRead = true;
      return readAnswer(parseJson(data) ?? null);
    },
    end: () => (isRead ? [] : readAnswer(null)),
  };
}

export function readAnswer(body: Json): CanonicalEvent[] {
  const events = openAnswerEvents();
  const answer = objectOf(body);
  const [candidate] = listOf(answer["candidates"]);
  const [filter] = listOf(answer["filters"]);
  if (candidate === undefined && filter === undefined) {
    const { code = "", message = "" } = readErrorBody(body) ?? {};
    events.fault(answerFault(code, message || "the upstream sent no answer"));
    return events.take();
  }
  events.start("", "");
  events.text(textOf(objectOf(candidate)["content"]));
  events.endItem();
  events.usage({ kind: "missing" });
  const raw = candidate === undefined ? textOf(objectOf(filter)["reason"]) : "";
  const reason = candidate === undefined ? "refused" : "complete";
  events.finish({ reason, raw, stopSequence: "" });
  return events.take();
}
