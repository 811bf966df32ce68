/** Reads answers of Baidu's Wenxin workshop, streamed or whole, as the events of an answer. */

import type { Json } from "#base/json.ts";
import type { CanonicalEvent, EndReason } from "#canonical/event.ts";
import { type AnswerEvents, openAnswerEvents } from "#formats/shared/answer-events.ts";
import { finishOf } from "#formats/shared/finish.ts";
import { numberOf, objectOf, parseJson, textOf } from "#formats/shared/read-json.ts";
import { promptUsage } from "#formats/shared/token-counts.ts";
import { answerFault, breakOff } from "#formats/shared/upstream-fault.ts";
import type { AnswerReader } from "#formats/translation.ts";

const reasons: Readonly<Record<string, EndReason>> = {
  content_filter: "refused",
  length: "length",
  normal: "complete",
  stop: "complete",
};

export function openReader(): AnswerReader {
  const events = openAnswerEvents();
  return {
    read(_, data) {
      readPart(events, parseJson(data), false);
      return events.take();
    },
    end() {
      breakOff(events);
      return events.take();
    },
    reported: () => events.reported(),
  };
}

export function readAnswer(body: Json): CanonicalEvent[] {
  const events = openAnswerEvents();
  readPart(events, body, true);
  return events.take();
}

function readPart(events: AnswerEvents, data: Json | undefined, isWhole: boolean): void {
  const part = objectOf(data);
  // An error comes with status 200.
  const code = numberOf(part["error_code"]);
  if (code !== null || typeof part["result"] !== "string") {
    const message = textOf(part["error_msg"]) || "the upstream sent no answer";
    events.fault(answerFault(code === null ? "answer-malformed" : String(code), message));
    return;
  }
  events.start(textOf(part["id"]), "");
  events.text(part["result"]);
  events.report(promptUsage(part["usage"]));
  if (!isWhole && part["is_end"] !== true) return;
  const word = textOf(part["finish_reason"]) || (part["is_truncated"] === true ? "length" : "stop");
  events.endItem();
  events.usage();
  events.finish(finishOf(word, reasons, false));
}
