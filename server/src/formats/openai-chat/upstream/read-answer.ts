/** Reads chat completions, streamed or whole, as the events of an answer. */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalEvent, EndReason } from "#canonical/event.ts";
import type { Opaque } from "#canonical/request.ts";
import { type AnswerEvents, openAnswerEvents } from "#formats/shared/answer-events.ts";
import { kindOf, readMediaUrl } from "#formats/shared/data-url.ts";
import { finishOf } from "#formats/shared/finish.ts";
import { readLogprobs } from "#formats/shared/logprobs/openai-logprobs.ts";
import {
  asObject,
  listOf,
  numberOf,
  objectOf,
  parseJson,
  textOf,
} from "#formats/shared/read-json.ts";
import { answerFault, breakOff } from "#formats/shared/upstream-fault.ts";
import type { AnswerReader } from "#formats/translation.ts";
import { doneWord } from "#formats/openai-chat/wire.ts";
import { openCalls, type CallReader } from "#formats/shared/upstream/read-calls.ts";
import { readErrorBody } from "#formats/shared/read-error.ts";
import type { ServedTier } from "@tollgate/contract/money/service-tiers.ts";
import { servedOpenAi } from "#formats/shared/tiers/service-tiers.ts";
import { readUsage } from "./read-usage.ts";

const reasons: Readonly<Record<string, EndReason>> = {
  stop: "complete",
  eos: "complete",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  tool_calls: "tool-call",
  function_call: "tool-call",
  content_filter: "refused",
  sensitive: "refused",
};

type Reading = {
  readonly events: AnswerEvents;
  readonly calls: CallReader;
  /** Whether the last event is one with usage alone, which comes at the end. */
  reported: boolean;
  tier: ServedTier;
  finishWord: string;
  /** Whether a choice was seen, without which there is no answer. */
  answered: boolean;
};

function begin(seed: string): Reading {
  const events = openAnswerEvents();
  const calls = openCalls(events, seed);
  return { events, calls, reported: false, tier: "", finishWord: "", answered: false };
}

export function openReader(seed: string): AnswerReader {
  const reading = begin(seed);
  return {
    read(_, data) {
      if (data.trim() === doneWord) finish(reading);
      else readBody(reading, parseJson(data), "delta");
      return reading.events.take();
    },
    end() {
      // Some servers leave out the finish reason and [DONE], but the usage comes only at the end.
      if (reading.finishWord === "" && !reading.reported) breakOff(reading.events);
      finish(reading);
      return reading.events.take();
    },
    reported: () => reading.events.reported(),
  };
}

export function readAnswer(body: Json, seed: string): CanonicalEvent[] {
  const reading = begin(seed);
  readBody(reading, body, "message");
  finish(reading);
  return reading.events.take();
}

function readBody(reading: Reading, body: Json | undefined, outputKey: "delta" | "message"): void {
  const { events } = reading;
  if (body === undefined) {
    events.fault(answerFault("answer-malformed", "an event of the stream is not JSON"));
    return;
  }
  const fields = objectOf(body);
  const choices = listOf(fields["choices"]);
  const error =
    choices.length === 0 || fields["error"] !== undefined ? readErrorBody(body) : undefined;
  if (error !== undefined && (error.message !== "" || error.code !== "")) {
    events.fault(answerFault(error.code || error.type, error.message));
    return;
  }
  const id = textOf(fields["id"]);
  const tier = servedOpenAi(textOf(fields["service_tier"]));
  // Azure begins with an event that has neither id nor choices.
  if (id !== "" || choices.length > 0) events.start(id, textOf(fields["model"]), tier);
  for (const each of choices) {
    const choice = objectOf(each);
    if ((numberOf(choice["index"]) ?? 0) === 0) readChoice(reading, choice, outputKey);
  }
  reading.tier = tier || reading.tier;
  const usage = fields["usage"] ?? objectOf(fields["x_groq"])["usage"];
  const hasUsage = asObject(usage) !== undefined;
  if (hasUsage) events.report(readUsage(usage));
  reading.reported = hasUsage && choices.length === 0 && reading.answered;
}

function readChoice(reading: Reading, choice: JsonObject, outputKey: "delta" | "message"): void {
  reading.answered = true;
  readOutput(reading, objectOf(choice[outputKey] ?? choice["message"]));
  const tokens = readLogprobs(objectOf(choice["logprobs"])["content"]);
  reading.events.logprobs(tokens);
  const word = textOf(choice["finish_reason"]);
  if (word !== "") reading.finishWord ||= word;
  const usage = asObject(choice["usage"]);
  if (usage !== undefined) reading.events.report(readUsage(usage));
}

function readOutput({ events, calls }: Reading, output: JsonObject): void {
  const reasoning = textOf(output["reasoning_content"]) || textOf(output["reasoning"]);
  events.reasoning(reasoning);
  for (const each of listOf(output["reasoning_details"])) {
    const detail = objectOf(each);
    const opaque = opaqueOf(detail);
    if (reasoning === "") events.reasoning(textOf(detail["text"]) || textOf(detail["summary"]));
    if (opaque !== null) events.opaque(opaque);
  }
  readContent(events, output["content"]);
  events.refusal(textOf(output["refusal"]));
  for (const each of listOf(output["annotations"])) readAnnotation(events, objectOf(each));
  for (const each of listOf(output["images"])) {
    const url = textOf(objectOf(objectOf(each)["image_url"])["url"]);
    if (url !== "") {
      const given = readMediaUrl(url);
      const kind = given.mediaType === "" ? "image" : kindOf(given.mediaType);
      events.media({ type: "media", kind, ...given, name: "", detail: null, cache: null });
    }
  }
  readAudio(events, asObject(output["audio"]));
  calls.read(output);
}

/** Reads content as a text, or as the list of parts in which Mistral separates its thinking. */
function readContent(events: AnswerEvents, content: Json | undefined): void {
  if (typeof content === "string") {
    events.text(content);
    return;
  }
  for (const each of listOf(content)) {
    const part = objectOf(each);
    if (part["type"] === "thinking") {
      for (const piece of listOf(part["thinking"])) {
        events.reasoning(textOf(objectOf(piece)["text"]));
      }
    } else events.text(textOf(part["text"]));
  }
}

function readAnnotation(events: AnswerEvents, annotation: JsonObject): void {
  const cited = asObject(annotation["url_citation"]);
  if (cited === undefined) return;
  // A source tells that there was a search, and not how many.
  events.searched(1);
  events.citation({
    url: textOf(cited["url"]),
    title: textOf(cited["title"]),
    quote: textOf(cited["content"]),
    start: numberOf(cited["start_index"]),
    end: numberOf(cited["end_index"]),
  });
}

function readAudio(events: AnswerEvents, audio: JsonObject | undefined): void {
  if (audio === undefined) return;
  events.text(textOf(audio["transcript"]));
  const data = textOf(audio["data"]);
  if (data === "") return;
  const source = { type: "bytes", data } as const;
  const mediaType = "audio/wav";
  events.media({
    type: "media",
    kind: "audio",
    source,
    mediaType,
    name: "",
    detail: null,
    cache: null,
  });
}

function opaqueOf(detail: JsonObject): Opaque | null {
  const isEncrypted = detail["type"] === "reasoning.encrypted";
  const value = textOf(isEncrypted ? detail["data"] : detail["signature"]);
  if (value === "") return null;
  return { issuer: "other", kind: isEncrypted ? "encrypted" : "signature", value, id: "" };
}

function finish(reading: Reading): void {
  const { events, calls, tier, finishWord, answered } = reading;
  if (events.hasEnded()) return;
  if (!answered) {
    events.fault(answerFault("answer-truncated", "the upstream sent no answer"));
    return;
  }
  calls.end();
  events.usage({ kind: "missing" }, tier);
  events.finish(finishOf(finishWord, reasons, events.calledTool()));
}
