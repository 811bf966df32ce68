/** Reads generateContent answers, streamed or whole, as the events of an answer. */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalEvent, EndReason } from "#canonical/event.ts";
import type { HostedOutcome } from "#canonical/request.ts";
import { nativeIssuer, readMedia } from "#formats/gemini-generate/wire.ts";
import { type AnswerEvents, openAnswerEvents } from "#formats/shared/answer-events.ts";
import { finishOf } from "#formats/shared/finish.ts";
import { readGeminiLogprobs } from "#formats/shared/logprobs/gemini-logprobs.ts";
import {
  asObject,
  listOf,
  numberOf,
  objectOf,
  parseJson,
  textOf,
} from "#formats/shared/read-json.ts";
import { madeId } from "#formats/shared/tool-ids.ts";
import { answerFault, breakOff } from "#formats/shared/upstream-fault.ts";
import type { AnswerReader } from "#formats/translation.ts";
import { countQueries, readGrounding, readSearch } from "./read-grounding.ts";
import { readPartialArgs, type PartialCall } from "./partial-args.ts";
import { namedTier, readTier } from "./read-tier.ts";
import { readUsage } from "./read-usage.ts";

/** Reasons by name, and by number as Google's gapic clients get them. */
const reasons: Readonly<Record<string, EndReason>> = {
  STOP: "complete",
  "1": "complete",
  MAX_TOKENS: "length",
  "2": "length",
  SAFETY: "refused",
  "3": "refused",
  RECITATION: "refused",
  BLOCKLIST: "refused",
  PROHIBITED_CONTENT: "refused",
  SPII: "refused",
  IMAGE_SAFETY: "refused",
  IMAGE_PROHIBITED_CONTENT: "refused",
  IMAGE_RECITATION: "refused",
  MODEL_ARMOR: "refused",
};

/** Reasons that mean that the model's call is unusable, so that the answer is a failure. */
const brokenCalls: ReadonlySet<string> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "MALFORMED_RESPONSE",
  "TOO_MANY_TOOL_CALLS",
]);

/**
 * The model calls a tool that the client does not have. If the call came, the client answers it, as
 * it answers such calls of other providers; without it there is no answer.
 */
const unknownTool = "UNEXPECTED_TOOL_CALL";

type Reading = {
  readonly events: AnswerEvents;
  readonly seed: string;
  finishWord: string;
  finishMessage: string;
  answered: boolean;
  calls: number;
  /** The text so far, in which sources are counted. */
  text: string;
  /** A call whose arguments arrive in pieces. */
  partial: PartialCall | null;
  /** The last code that Google ran. */
  code: string;
  /** The searches as they were told last; undefined: none. */
  search: HostedOutcome | undefined;
};

function begin(seed: string): Reading {
  return {
    events: openAnswerEvents(),
    seed,
    finishWord: "",
    finishMessage: "",
    answered: false,
    calls: 0,
    text: "",
    partial: null,
    code: "",
    search: undefined,
  };
}

export function openReader(seed: string): AnswerReader {
  const reading = begin(seed);
  return {
    read(_, data) {
      if (data.trim() !== "[DONE]") readBody(reading, parseJson(data));
      return reading.events.take();
    },
    end() {
      if (reading.finishWord === "") breakOff(reading.events);
      finish(reading);
      return reading.events.take();
    },
    reported: () => reading.events.reported(),
  };
}

export function readAnswer(body: Json, seed: string): CanonicalEvent[] {
  const reading = begin(seed);
  // Without `alt=sse` a stream is a list of the same objects.
  for (const each of Array.isArray(body) ? listOf(body) : [body]) readBody(reading, each);
  finish(reading);
  return reading.events.take();
}

function readBody(reading: Reading, data: Json | undefined): void {
  const { events } = reading;
  if (data === undefined) {
    events.fault(answerFault("answer-malformed", "an event of the stream is not JSON"));
    return;
  }
  const body = objectOf(Array.isArray(data) ? data[0] : data);
  const error = asObject(body["error"]);
  if (error !== undefined) {
    events.fault(answerFault(textOf(error["status"]), textOf(error["message"]), error));
    return;
  }
  const usage = asObject(body["usageMetadata"]);
  events.start(textOf(body["responseId"]), textOf(body["modelVersion"]), namedTier(usage));
  const blocked = textOf(objectOf(body["promptFeedback"])["blockReason"]);
  if (blocked !== "") {
    reading.answered = true;
    reading.finishWord = "SAFETY";
  }
  for (const each of listOf(body["candidates"])) {
    const candidate = objectOf(each);
    if ((numberOf(candidate["index"]) ?? 0) === 0) readCandidate(reading, candidate);
  }
  if (usage !== undefined) events.report(readUsage(usage), readTier(usage), namedTier(usage));
}

function readCandidate(reading: Reading, candidate: JsonObject): void {
  const { events } = reading;
  reading.answered = true;
  for (const part of listOf(objectOf(candidate["content"])["parts"])) {
    readPart(reading, objectOf(part));
  }
  events.logprobs(readGeminiLogprobs(objectOf(candidate["logprobsResult"])));
  const word = candidate["finishReason"];
  const name = typeof word === "number" ? String(word) : textOf(word);
  if (name !== "") reading.finishWord = name;
  reading.finishMessage = textOf(candidate["finishMessage"]) || reading.finishMessage;
  const grounding = asObject(candidate["groundingMetadata"]);
  if (grounding === undefined) return;
  reading.search = readSearch(grounding) ?? reading.search;
  events.searched(countQueries(grounding));
  for (const citation of readGrounding(grounding, reading.text)) events.citation(citation);
}

function readPart(reading: Reading, part: JsonObject): void {
  const { events } = reading;
  const call = asObject(part["functionCall"]);
  const value = textOf(part["thoughtSignature"]);
  const id = call === undefined ? (part["thought"] === true ? "" : "text") : "call";
  const opaque =
    value === "" ? null : ({ issuer: nativeIssuer, kind: "signature", value, id } as const);
  if (call !== undefined) {
    readCall(reading, call, opaque);
    return;
  }
  const media = readMedia(part);
  if (media !== undefined) events.media(media);
  else if (part["thought"] === true) events.reasoning(textOf(part["text"]), undefined, true);
  else if (typeof part["text"] === "string") {
    events.text(part["text"]);
    reading.text += part["text"];
  } else readHosted(reading, part);
  if (opaque !== null) events.opaque(opaque);
}

function readCall(
  reading: Reading,
  call: JsonObject,
  opaque: Parameters<AnswerEvents["toolCall"]>[0]["opaque"],
): void {
  const { events } = reading;
  const name = textOf(call["name"]);
  const isPartial = call["partialArgs"] !== undefined || call["willContinue"] !== undefined;
  if (name === "" && reading.partial === null) return;
  if (name !== "") {
    endPartial(reading);
    const callId = textOf(call["id"]) || madeId(`${reading.seed} ${reading.calls}`);
    reading.calls += 1;
    events.toolCall({
      callId,
      name,
      ...(opaque === null || opaque === undefined ? {} : { opaque }),
    });
    if (!isPartial) {
      events.args(JSON.stringify(objectOf(call["args"])));
      events.endItem();
      return;
    }
    reading.partial = { args: {} };
  }
  if (reading.partial !== null) readPartialArgs(reading.partial, listOf(call["partialArgs"]));
  if (call["willContinue"] !== true) endPartial(reading);
}

/** Ends a call whose arguments came in pieces. */
function endPartial(reading: Reading): void {
  const { events, partial } = reading;
  if (partial === null) return;
  reading.partial = null;
  events.args(JSON.stringify(partial.args));
  events.endItem();
}

function readHosted(reading: Reading, part: JsonObject): void {
  const isFilled = Object.keys(part).some((name) => name !== "thoughtSignature");
  if (!isFilled) return;
  const code = textOf(objectOf(part["executableCode"])["code"]);
  if (code !== "") reading.code = code;
  reading.events.hosted(nativeIssuer, part, { outcome: outcomeOf(reading, part), written: code });
}

/** Returns what a part with the result of code tells; its code has come before it. */
function outcomeOf({ code }: Reading, part: JsonObject): HostedOutcome | undefined {
  const result = asObject(part["codeExecutionResult"]);
  if (result === undefined) return undefined;
  const failed = result["outcome"] !== "OUTCOME_OK";
  return { type: "code-execution", code, output: textOf(result["output"]), failed };
}

function finish(reading: Reading): void {
  const { events, finishWord, finishMessage } = reading;
  if (events.hasEnded()) return;
  endPartial(reading);
  if (reading.search !== undefined) events.outcome(reading.search);
  if (!reading.answered) {
    events.fault(answerFault("answer-truncated", "the upstream sent no answer"));
    return;
  }
  events.usage();
  const isBroken = finishWord === unknownTool && !events.calledTool();
  if (isBroken || brokenCalls.has(finishWord)) {
    events.fault(answerFault(finishWord, finishMessage || "the model's tool call is malformed"));
    return;
  }
  events.finish(finishOf(finishWord, reasons, events.calledTool()));
}
