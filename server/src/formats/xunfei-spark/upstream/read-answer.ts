/** Reads the messages with which Spark answers as the events of an answer. */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalEvent, EndReason } from "#canonical/event.ts";
import { type AnswerEvents, openAnswerEvents } from "#formats/shared/answer-events.ts";
import { finishOf } from "#formats/shared/finish.ts";
import { listOf, objectOf, parseJson, textOf } from "#formats/shared/read-json.ts";
import { promptUsage } from "#formats/shared/token-counts.ts";
import { type CallReader, openCalls } from "#formats/shared/upstream/read-calls.ts";
import { answerFault, breakOff } from "#formats/shared/upstream-fault.ts";
import type { AnswerReader } from "#formats/translation.ts";

const reasons: Readonly<Record<string, EndReason>> = { stop: "complete" };

export function openReader(seed: string): AnswerReader {
  const events = openAnswerEvents();
  const calls = openCalls(events, seed);
  return {
    read(_, data) {
      readMessage(events, calls, objectOf(parseJson(data)));
      return events.take();
    },
    end() {
      breakOff(events);
      return events.take();
    },
  };
}

/** Reads the only message of an answer. */
export function readAnswer(body: Json, seed: string): CanonicalEvent[] {
  const reader = openReader(seed);
  return [...reader.read("", JSON.stringify(body)), ...reader.end()];
}

/** Whether nothing follows a message: it ends the answer, or is an error. */
export function isLastMessage(message: Uint8Array): boolean {
  return isLast(objectOf(parseJson(new TextDecoder().decode(message))));
}

function isLast({ header }: JsonObject): boolean {
  const { code, status } = objectOf(header);
  return code !== 0 || status === 2;
}

function readMessage(events: AnswerEvents, calls: CallReader, message: JsonObject): void {
  const header = objectOf(message["header"]);
  const { code } = header;
  if (code !== 0) {
    const isCode = typeof code === "number" || typeof code === "string";
    const told = textOf(header["message"]) || "the upstream sent no answer";
    events.fault(answerFault(isCode ? String(code) : "answer-malformed", told));
    return;
  }
  events.start(textOf(header["sid"]), "");
  const payload = objectOf(message["payload"]);
  for (const each of listOf(objectOf(payload["choices"])["text"])) {
    const piece = objectOf(each);
    events.reasoning(textOf(piece["reasoning_content"]));
    events.text(textOf(piece["content"]));
    calls.read(piece);
  }
  events.report(promptUsage(objectOf(payload["usage"])["text"]));
  if (!isLast(message)) return;
  calls.end();
  events.endItem();
  events.usage();
  events.finish(finishOf("stop", reasons, events.calledTool()));
}
