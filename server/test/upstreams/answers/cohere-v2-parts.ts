/**
 * Answers of Cohere's /v2/chat, streamed and whole.
 * Source: https://docs.cohere.com/reference/chat-stream.
 */

import type { Answer, AnswerPart, CallPiece, Counts } from "@tollgate/demo/answer.ts";
import type { Json } from "@tollgate/demo/json.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import type { Api } from "@tollgate/demo/answers/api.ts";
import { bodyEnd, pieceParts, section, wholeCalls } from "@tollgate/demo/answers/body-parts.ts";
import { errorWords } from "@tollgate/demo/answers/errors.ts";
import { escapeJson, type Pieces, reasoningPieces } from "@tollgate/demo/answers/pieces.ts";

function* cohereEvents(answer: Answer): Generator<AnswerPart> {
  const { calls, content, contentCount, reasoningCount, id, usage, script } = answer;
  const empty = `{"role":"assistant","content":[],"tool_plan":"","tool_calls":[],"citations":[]}`;
  yield part("message-start", `"id":"${id}","delta":{"message":${empty}}`);
  if (reasoningCount > 0) yield* block("thinking", 0, reasoningPieces(), reasoningCount);
  const index = reasoningCount > 0 ? 1 : 0;
  if (calls === null && contentCount > 0) yield* block("text", index, content, contentCount);
  for (const call of calls ?? []) {
    const at = `"index":${call.index}`;
    const told = (called: string): string => `${at},"delta":{"message":{"tool_calls":${called}}}`;
    if (call.text === null) {
      const opened = part("tool-call-start", told(`${callOpening(answer, call)}"}}`));
      yield { ...opened, kind: "piece", pieces: 1 };
    } else {
      const words = `{"function":{"arguments":"${escapeJson(call.text)}"}}`;
      yield { ...part("tool-call-delta", told(words)), kind: "piece", pieces: 1 };
    }
    if (call.isLast) yield part("tool-call-end", at);
  }
  const counted = usage === null ? "" : `,"usage":${usage}`;
  const stop = `"finish_reason":"${finishReason(answer)}"${counted}`;
  const end = { ...part("message-end", `"delta":{${stop}}`), kind: "done" } as const;
  yield usage === null ? end : { ...end, usage };
  if (usage !== null && script.usageTwice === true) yield { ...end, kind: "usage" };
}

/** Yields the events of one block of the content. */
function* block(
  type: "text" | "thinking",
  index: number,
  pieces: Pieces,
  count: number,
): Generator<AnswerPart> {
  const told = (content: string): string =>
    `"index":${index},"delta":{"message":{"content":{${content}}}}`;
  yield part("content-start", told(`"type":"${type}","${type}":""`));
  for (let piece = 0; piece < count; piece += 1) {
    const event = part("content-delta", told(`"${type}":"${pieces.jsonAt(piece)}"`));
    const contentAt = event.text.indexOf(`{"${type}":"`) + `{"${type}":"`.length;
    yield { ...event, kind: "piece", pieces: 1, contentAt };
  }
  yield part("content-end", `"index":${index}`);
}

function* cohereBody(answer: Answer, grouped: boolean): Generator<AnswerPart> {
  const { calls, content, contentCount, reasoningCount, id } = answer;
  const stop = `"finish_reason":"${finishReason(answer)}"`;
  yield section("start", `{"id":"${id}",${stop},"message":{"role":"assistant"`);
  const hasText = calls === null && contentCount > 0;
  if (reasoningCount > 0 || hasText) yield section("start", `,"content":[`);
  if (reasoningCount > 0) {
    yield section("start", `{"type":"thinking","thinking":"`);
    yield* pieceParts(reasoningPieces(), reasoningCount, grouped);
    yield section("finish", hasText ? `"},` : `"}`);
  }
  if (hasText) {
    yield section("start", `{"type":"text","text":"`);
    yield* pieceParts(content, contentCount, grouped);
    yield section("finish", `"}`);
  }
  if (reasoningCount > 0 || hasText) yield section("finish", "]");
  const whole = wholeCalls(answer);
  for (const [at, call] of whole.entries()) {
    const before = at === 0 ? `,"tool_calls":[` : ",";
    const after = at === whole.length - 1 ? `"}}]` : `"}}`;
    const text = `${before}${callOpening(answer, call)}${escapeJson(call.tool.argumentsText)}`;
    yield { kind: "piece", text: text + after, pieces: call.pieces };
  }
  yield section("finish", "}");
  yield* bodyEnd(answer);
}

function callOpening({ id }: Answer, { tool, index }: CallPiece): string {
  const name = JSON.stringify(tool.name);
  const opening = `{"id":"${tool.name}_${id}${index}","type":"function"`;
  return `${opening},"function":{"name":${name},"arguments":"`;
}

function part(type: string, members: string): AnswerPart {
  return { kind: "start", event: type, text: `{"type":"${type}",${members}}`, pieces: 0 };
}

function finishReason({ finish }: Answer): string {
  if (finish === "length") return "MAX_TOKENS";
  return finish === "stop" ? "COMPLETE" : "TOOL_CALL";
}

/** `tokens` are those that the model processed; `billed_units` leave out what was in the cache. */
export function cohereUsage(script: DemoScript, counts: Counts): Json {
  const { promptTokens, completionTokens } = counts;
  const cached = script.cachedTokens ?? 0;
  return {
    billed_units: { input_tokens: promptTokens - cached, output_tokens: completionTokens },
    tokens: { input_tokens: promptTokens, output_tokens: completionTokens },
    cached_tokens: cached,
  };
}

export const cohereV2: Api = {
  framing: "events",
  chunk: null,
  reasons: true,
  events: cohereEvents,
  body: cohereBody,
  usage: cohereUsage,
  errorBody: (_, { message }) => ({ message }),
  errorEvent: (error) => ({
    event: "message-end",
    body: { type: "message-end", delta: { finish_reason: "ERROR", error: errorWords(error) } },
  }),
};
