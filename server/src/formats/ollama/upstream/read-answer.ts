/** Reads answers of Ollama's /api/chat and /api/generate, streamed or whole. */

import type { Json } from "#base/json.ts";
import type { CanonicalEvent, EndReason } from "#canonical/event.ts";
import type { ReadUsage } from "#canonical/usage.ts";
import { type AnswerEvents, openAnswerEvents } from "#formats/shared/answer-events.ts";
import { finishOf } from "#formats/shared/finish.ts";
import { listOf, objectOf, parseJson, textOf } from "#formats/shared/read-json.ts";
import { openTokenCounts, readCounts, reportOf } from "#formats/shared/token-counts.ts";
import { argsOf } from "#formats/shared/tool-args.ts";
import { madeId } from "#formats/shared/tool-ids.ts";
import { answerFault, breakOff } from "#formats/shared/upstream-fault.ts";
import type { AnswerReader } from "#formats/translation.ts";

const reasons: Readonly<Record<string, EndReason>> = { stop: "complete", length: "length" };

type Reading = { readonly events: AnswerEvents; readonly seed: string; calls: number };

export function openReader(seed: string): AnswerReader {
  const reading: Reading = { events: openAnswerEvents(), seed, calls: 0 };
  return {
    read(_, data) {
      readPart(reading, parseJson(data));
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
  readPart(reading, body);
  breakOff(reading.events);
  return reading.events.take();
}

function readPart(reading: Reading, data: Json | undefined): void {
  const { events, seed } = reading;
  if (data === undefined) {
    events.fault(answerFault("answer-malformed", "a line of the stream is not JSON"));
    return;
  }
  const part = objectOf(data);
  const error = textOf(part["error"]);
  if (error !== "") {
    events.fault(answerFault("", error));
    return;
  }
  events.start("", textOf(part["model"]));
  const message = objectOf(part["message"]);
  events.reasoning(textOf(message["thinking"]) || textOf(part["thinking"]));
  events.text(textOf(message["content"]) || textOf(part["response"]));
  for (const each of listOf(message["tool_calls"])) {
    const call = objectOf(each);
    const called = objectOf(call["function"]);
    const callId = textOf(call["id"]) || madeId(`${seed} ${reading.calls}`);
    reading.calls += 1;
    events.toolCall({ callId, name: textOf(called["name"]) });
    events.args(argsOf(called["arguments"]));
  }
  events.report(readUsage(part));
  if (part["done"] !== true) return;
  events.endItem();
  events.usage();
  // Older versions do not say why an answer is done.
  const word = textOf(part["done_reason"]) || "stop";
  events.finish(finishOf(word, reasons, events.calledTool()));
}

/** Reads the counts of an object, which the last one has. A prompt that was found in the cache is not counted. */
function readUsage(raw: unknown): ReadUsage {
  const report = reportOf(raw) ?? {};
  const counts = openTokenCounts();
  const input = counts.count(report, "prompt_eval_count");
  const output = counts.count(report, "eval_count");
  return readCounts({ input, output }, counts.wrong());
}
