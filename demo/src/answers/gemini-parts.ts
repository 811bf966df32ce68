/**
 * Answers of generateContent and streamGenerateContent.
 * Source: https://ai.google.dev/api/generate-content.
 */

import type { Answer, AnswerPart, Counts } from "@tollgate/demo/answer.ts";
import type { Json } from "@tollgate/demo/json.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import type { Api } from "./api.ts";
import { bodyEnd, pieceParts, section, wholeCalls } from "./body-parts.ts";
import { openAiErrorEvent } from "./errors.ts";
import { reasoningPieces, scriptedSignature } from "./pieces.ts";

/** Yields the events of a streamed answer, one part each; `text` is the JSON after `data:`. */
function* geminiEvents(answer: Answer): Generator<AnswerPart> {
  const { reasoningCount, contentCount, content, calls, script, usage } = answer;
  const event = (parts: string, finish = ""): string =>
    `{"candidates":[{"content":{"parts":[${parts}],"role":"model"}${finish},"index":0}]`;
  const text = event(`{"text":"`).indexOf(`{"text":"`) + `{"text":"`.length;
  const end = closing(answer);
  const { usageFirst } = script;
  const first =
    usageFirst === undefined ? end : `${end},"usageMetadata":${JSON.stringify(usageFirst)}`;
  for (let piece = 0; piece < reasoningCount; piece += 1) {
    const words = `{"text":"${reasoningPieces().jsonAt(piece)}","thought":true}`;
    yield { kind: "piece", text: `${event(words)}${end}}`, pieces: 1, contentAt: text };
  }
  for (let piece = 0; calls === null && piece < contentCount; piece += 1) {
    const words = `{"text":"${content.jsonAt(piece)}"}`;
    const rest = piece === 0 ? first : end;
    yield { kind: "piece", text: `${event(words)}${rest}}`, pieces: 1, contentAt: text };
  }
  for (const call of callParts(answer)) {
    yield { kind: "piece", text: `${event(call.text)}${end}}`, pieces: call.pieces };
  }
  const finish = `,"finishReason":"${finishReason(answer)}"`;
  const last = `${event(`{"text":""}`, finish)}${end}`;
  if (usage === null) {
    yield { kind: "done", text: `${last}}`, pieces: 0 };
    return;
  }
  const given = `${last},"usageMetadata":${usage}}`;
  yield { kind: "done", text: given, pieces: 0, usage };
  if (script.usageTwice === true) yield { kind: "usage", text: given, pieces: 0 };
}

/** Yields the sections of the JSON body of an answer that is not streamed. */
function* geminiBody(answer: Answer, grouped: boolean): Generator<AnswerPart> {
  const { reasoningCount, contentCount, content, calls } = answer;
  yield section("start", `{"candidates":[{"content":{"parts":[`);
  if (reasoningCount > 0) {
    yield section("start", `{"text":"`);
    yield* pieceParts(reasoningPieces(), reasoningCount, grouped);
    yield section("finish", `","thought":true}${contentCount > 0 ? "," : ""}`);
  }
  if (calls === null && contentCount > 0) {
    yield section("start", `{"text":"`);
    yield* pieceParts(content, contentCount, grouped);
    yield section("finish", `"}`);
  }
  for (const [at, call] of callParts(answer).entries()) {
    yield { kind: "piece", text: (at > 0 ? "," : "") + call.text, pieces: call.pieces };
  }
  const finish = `],"role":"model"},"finishReason":"${finishReason(answer)}","index":0}]`;
  yield section("finish", finish + closing(answer));
  yield* bodyEnd(answer, "usageMetadata");
}

function callParts(answer: Answer): { readonly text: string; readonly pieces: number }[] {
  return wholeCalls(answer).map(({ tool, index, pieces }) => {
    const call = `"id":"call_${answer.id}${index}","name":${JSON.stringify(tool.name)}`;
    // Only the first of several calls has a signature.
    const signature = index === 0 ? `,"thoughtSignature":"${scriptedSignature}"` : "";
    const text = `{"functionCall":{${call},"args":${tool.argumentsText}}${signature}}`;
    return { text, pieces };
  });
}

function closing({ id, call }: Answer): string {
  return `,"modelVersion":${JSON.stringify(call.model)},"responseId":"${id}"`;
}

function finishReason({ finish }: Answer): string {
  return finish === "length" ? "MAX_TOKENS" : "STOP";
}

/** @see https://ai.google.dev/api/generate-content#UsageMetadata. */
function geminiUsage(script: DemoScript, counts: Counts): Json {
  const { promptTokens, completionTokens, reasoningTokens } = counts;
  return {
    promptTokenCount: promptTokens,
    candidatesTokenCount: Math.max(0, completionTokens - reasoningTokens),
    thoughtsTokenCount: reasoningTokens,
    cachedContentTokenCount: script.cachedTokens ?? 0,
    totalTokenCount: promptTokens + completionTokens,
  };
}

/** @see https://ai.google.dev/gemini-api/docs/troubleshooting. */
const errorStatuses: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

export const gemini: Api = {
  conversation: "contents",
  framing: "events",
  chunk: null,
  reasons: true,
  events: geminiEvents,
  body: geminiBody,
  usage: geminiUsage,
  errorBody: (status, { message }) => ({
    error: { code: status, message, status: errorStatuses[status] ?? "INTERNAL" },
  }),
  errorEvent: openAiErrorEvent,
};
