/** Reads answers of DashScope, streamed or whole, as the events of an answer. */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalEvent, EndReason } from "#canonical/event.ts";
import type { ReadUsage } from "#canonical/usage.ts";
import { type AnswerEvents, openAnswerEvents } from "#formats/shared/answer-events.ts";
import { finishOf } from "#formats/shared/finish.ts";
import { readLogprobs } from "#formats/shared/logprobs/openai-logprobs.ts";
import { asObject, listOf, objectOf, parseJson, textOf } from "#formats/shared/read-json.ts";
import { openTokenCounts, readCounts, reportOf } from "#formats/shared/token-counts.ts";
import { type CallReader, openCalls } from "#formats/shared/upstream/read-calls.ts";
import { answerFault, breakOff } from "#formats/shared/upstream-fault.ts";
import type { AnswerReader } from "#formats/translation.ts";

const reasons: Readonly<Record<string, EndReason>> = {
  stop: "complete",
  length: "length",
  tool_calls: "tool-call",
};

type Reading = {
  readonly events: AnswerEvents;
  readonly calls: CallReader;
  /** Whether tokens were counted; each event counts all so far. */
  reported: boolean;
  finishWord: string;
};

function begin(seed: string): Reading {
  const events = openAnswerEvents();
  return { events, calls: openCalls(events, seed), reported: false, finishWord: "" };
}

export function openReader(seed: string): AnswerReader {
  const reading = begin(seed);
  return {
    read(_, data) {
      readPart(reading, parseJson(data));
      return reading.events.take();
    },
    end() {
      // Some models end without a reason, but count tokens in each event.
      if (reading.finishWord === "" && !reading.reported) breakOff(reading.events);
      finish(reading);
      return reading.events.take();
    },
    reported: () => reading.events.reported(),
  };
}

export function readAnswer(body: Json, seed: string): CanonicalEvent[] {
  const reading = begin(seed);
  readPart(reading, body);
  finish(reading);
  return reading.events.take();
}

function readPart(reading: Reading, data: Json | undefined): void {
  const { calls, events } = reading;
  const body = objectOf(data);
  const output = asObject(body["output"]);
  if (output === undefined) {
    const code = textOf(body["code"]);
    const message = textOf(body["message"]) || "the upstream sent no answer";
    events.fault(answerFault(code || "answer-malformed", message));
    return;
  }
  events.start(textOf(body["request_id"]), "");
  const choice = objectOf(listOf(output["choices"])[0]);
  const message = objectOf(choice["message"] ?? output["message"]);
  events.reasoning(textOf(message["reasoning_content"]));
  readContent(events, message["content"] ?? output["text"]);
  events.logprobs(readLogprobs(objectOf(choice["logprobs"])["content"]));
  calls.read(message);
  if (asObject(body["usage"]) !== undefined) {
    reading.reported = true;
    events.report(readUsage(body["usage"]));
  }
  // The word for an answer that goes on is the text "null".
  const word = textOf(choice["finish_reason"]) || textOf(output["finish_reason"]);
  if (word !== "null") reading.finishWord ||= word;
}

function readContent(events: AnswerEvents, content: Json | undefined): void {
  if (typeof content === "string") events.text(content);
  for (const each of listOf(content)) {
    const part: JsonObject = objectOf(each);
    events.text(textOf(part["text"]));
  }
}

function finish({ calls, events, finishWord }: Reading): void {
  if (events.hasEnded()) return;
  calls.end();
  events.endItem();
  events.usage();
  events.finish(finishOf(finishWord || "stop", reasons, events.calledTool()));
}

/** Reads a usage report; images are a part of the input. */
function readUsage(raw: unknown): ReadUsage {
  const report = reportOf(raw);
  if (report === undefined) return { kind: "missing" };
  const counts = openTokenCounts();
  const given = objectOf(report["prompt_tokens_details"]);
  const input = objectOf(report["input_tokens_details"]);
  const output = objectOf(report["output_tokens_details"]);
  const found = {
    input: counts.count(report, "input_tokens"),
    output: counts.count(report, "output_tokens"),
    total: counts.count(report, "total_tokens"),
    cacheRead: counts.count(given, "cached_tokens") ?? counts.count(report, "cached_tokens"),
    inputImage: counts.count(report, "image_tokens") ?? counts.count(input, "image_tokens"),
    inputAudio: counts.count(report, "audio_tokens") ?? counts.count(input, "audio_tokens"),
    reasoning: counts.count(output, "reasoning_tokens"),
    searches: counts.count(objectOf(objectOf(report["plugins"])["search"]), "count"),
  };
  return readCounts(found, counts.wrong());
}
