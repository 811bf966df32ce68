/** Reads answers of version 3 of Zhipu's API, streamed or whole, as the events of an answer. */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalEvent, EndReason } from "#canonical/event.ts";
import { type AnswerEvents, openAnswerEvents } from "#formats/shared/answer-events.ts";
import { finishOf } from "#formats/shared/finish.ts";
import { listOf, objectOf, parseJson, textOf } from "#formats/shared/read-json.ts";
import { promptUsage } from "#formats/shared/token-counts.ts";
import { answerFault, breakOff } from "#formats/shared/upstream-fault.ts";
import type { AnswerReader } from "#formats/translation.ts";

const reasons: Readonly<Record<string, EndReason>> = { SUCCESS: "complete" };

export function openReader(): AnswerReader {
  const events = openAnswerEvents();
  return {
    read(event, text) {
      readEvent(events, event, objectOf(parseJson(text)));
      return events.take();
    },
    end() {
      breakOff(events);
      return events.take();
    },
  };
}

function readEvent(events: AnswerEvents, event: string, fields: JsonObject): void {
  const piece = textOf(fields["data"]);
  switch (event) {
    case "error":
      events.fault(answerFault("answer-failed", piece || "the upstream sent no answer"));
      break;
    case "interrupted":
      events.fault(answerFault("content_filter", piece || "the upstream stopped its answer"));
      break;
    case "finish": {
      const meta = objectOf(parseJson(textOf(fields["meta"])));
      events.start(textOf(meta["request_id"]), "");
      events.text(piece);
      end(events, meta);
      break;
    }
    default:
      events.start("", "");
      events.text(piece);
  }
}

export function readAnswer(body: Json): CanonicalEvent[] {
  const events = openAnswerEvents();
  const answer = objectOf(body);
  const data = objectOf(answer["data"]);
  const [choice] = listOf(data["choices"]);
  if (answer["success"] === false || choice === undefined) {
    const code = answer["code"];
    const message = textOf(answer["msg"]) || "the upstream sent no answer";
    events.fault(answerFault(typeof code === "number" ? String(code) : "", message));
    return events.take();
  }
  events.start(textOf(data["request_id"]), "");
  events.text(unquoted(textOf(objectOf(choice)["content"])));
  end(events, data);
  return events.take();
}

function end(events: AnswerEvents, { task_status: status, usage }: JsonObject): void {
  events.endItem();
  events.usage(promptUsage(usage));
  events.finish(finishOf(textOf(status), reasons, false));
}

/** A whole answer's text is a JSON string inside a string. */
function unquoted(content: string): string {
  const inner = content.startsWith('"') ? parseJson(content) : undefined;
  return typeof inner === "string" ? inner : content;
}
