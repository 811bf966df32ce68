/**
 * Answers of generateContent and streamGenerateContent.
 * Source: https://ai.google.dev/api/generate-content.
 */

import type { Answer, AnswerPart, CallPiece } from "@tollgate/demo/answer.ts";
import { bodyEnd, pieceParts } from "./chat-parts.ts";
import { reasoningPieces, scriptedSignature } from "./pieces.ts";

/** Yields the events of a streamed answer, one part each; `text` is the JSON after `data:`. */
export function* geminiEvents(answer: Answer): Generator<AnswerPart> {
  const { reasoningCount, contentCount, content, calls, script, usage } = answer;
  const event = (parts: string, finish = ""): string =>
    `{"candidates":[{"content":{"parts":[${parts}],"role":"model"}${finish},"index":0}]`;
  const text = event(`{"text":"`).indexOf(`{"text":"`) + `{"text":"`.length;
  const end = closing(answer);
  for (let piece = 0; piece < reasoningCount; piece += 1) {
    const words = `{"text":"${reasoningPieces().jsonAt(piece)}","thought":true}`;
    yield { kind: "piece", text: `${event(words)}${end}}`, pieces: 1, contentAt: text };
  }
  for (let piece = 0; calls === null && piece < contentCount; piece += 1) {
    const words = `{"text":"${content.jsonAt(piece)}"}`;
    yield { kind: "piece", text: `${event(words)}${end}}`, pieces: 1, contentAt: text };
  }
  for (const call of wholeCalls(answer)) {
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
export function* geminiBody(answer: Answer, grouped: boolean): Generator<AnswerPart> {
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
  for (const [at, call] of wholeCalls(answer).entries()) {
    yield { kind: "piece", text: (at > 0 ? "," : "") + call.text, pieces: call.pieces };
  }
  const finish = `],"role":"model"},"finishReason":"${finishReason(answer)}","index":0}]`;
  yield section("finish", finish + closing(answer));
  yield* bodyEnd(answer, "usageMetadata");
}

/** Returns the complete calls of an answer, which this API does not divide. */
function wholeCalls({ id, calls }: Answer): { readonly text: string; readonly pieces: number }[] {
  const last = (calls ?? []).filter(({ isLast }) => isLast);
  return last.map(({ tool, index }: CallPiece) => {
    const call = `"id":"call_${id}${index}","name":${JSON.stringify(tool.name)}`;
    // Only the first of several calls has a signature.
    const signature = index === 0 ? `,"thoughtSignature":"${scriptedSignature}"` : "";
    const text = `{"functionCall":{${call},"args":${tool.argumentsText}}${signature}}`;
    return { text, pieces: (calls ?? []).filter((piece) => piece.index === index).length };
  });
}

function closing({ id, call }: Answer): string {
  return `,"modelVersion":${JSON.stringify(call.model)},"responseId":"${id}"`;
}

function finishReason({ finish }: Answer): string {
  return finish === "length" ? "MAX_TOKENS" : "STOP";
}

function section(kind: AnswerPart["kind"], text: string): AnswerPart {
  return { kind, text, pieces: 0 };
}
