/**
 * Answers of DashScope's text and multimodal generation, streamed and whole.
 * Source: https://help.aliyun.com/zh/model-studio/qwen-api-via-dashscope.
 */

import type { Answer, AnswerPart, CallPiece, Counts } from "@tollgate/demo/answer.ts";
import type { Json } from "@tollgate/demo/json.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import type { Api } from "@tollgate/demo/answers/api.ts";
import { bodyEnd, pieceParts, section, wholeCalls } from "@tollgate/demo/answers/body-parts.ts";
import { errorWords } from "@tollgate/demo/answers/errors.ts";
import { escapeJson, reasoningPieces } from "@tollgate/demo/answers/pieces.ts";
import { dashscopeBody as readBody } from "./native-bodies.ts";

/** Each event has the next piece, as `incremental_output` asks, and the usage so far. */
function* dashscopeEvents(answer: Answer): Generator<AnswerPart> {
  const { calls, content, contentCount, id, promptTokens, reasoningCount, script, usage } = answer;
  const open = `{"output":{"choices":[{"message":{"role":"assistant","content":"`;
  let written = 0;
  const event = (words: string, rest: string): AnswerPart => {
    written += 1;
    const counts = { promptTokens, completionTokens: written, reasoningTokens: 0 };
    const soFar = usage === null ? "" : `"usage":${JSON.stringify(countsOf(counts))},`;
    const close = `},"finish_reason":"null"}]},${soFar}"request_id":"${id}"}`;
    const text = `${open}${words}"${rest}${close}`;
    return { kind: "piece", event: "result", text, pieces: 1, contentAt: open.length };
  };
  for (let piece = 0; piece < reasoningCount; piece += 1) {
    yield event("", `,"reasoning_content":"${reasoningPieces().jsonAt(piece)}"`);
  }
  for (let piece = 0; calls === null && piece < contentCount; piece += 1) {
    yield event(content.jsonAt(piece), "");
  }
  for (const call of calls ?? []) yield event("", `,"tool_calls":[${callPiece(answer, call)}]`);
  const counted = usage === null ? "" : `"usage":${usage},`;
  const stop = `"},"finish_reason":"${answer.finish}"}]},${counted}"request_id":"${id}"}`;
  const end = { kind: "done", event: "result", text: open + stop, pieces: 0 } as const;
  yield usage === null ? end : { ...end, usage };
  if (usage !== null && script.usageTwice === true) yield { ...end, kind: "usage" };
}

function* dashscopeBody(answer: Answer, grouped: boolean): Generator<AnswerPart> {
  const { calls, content, contentCount, finish, id, reasoningCount } = answer;
  yield section("start", `{"output":{"choices":[{"message":{"role":"assistant"`);
  if (reasoningCount > 0) {
    yield section("start", `,"reasoning_content":"`);
    yield* pieceParts(reasoningPieces(), reasoningCount, grouped);
    yield section("finish", `"`);
  }
  yield section("start", `,"content":"`);
  if (calls === null) yield* pieceParts(content, contentCount, grouped);
  yield section("finish", `"`);
  const whole = wholeCalls(answer);
  for (const [at, call] of whole.entries()) {
    const before = at === 0 ? `,"tool_calls":[` : ",";
    const text = before + callJson(answer, call, call.tool.argumentsText);
    yield { kind: "piece", text: text + (at === whole.length - 1 ? "]" : ""), pieces: call.pieces };
  }
  yield section("finish", `},"finish_reason":"${finish}"}]},"request_id":"${id}"`);
  yield* bodyEnd(answer);
}

/** A piece of a call: only its first one has the name. */
function callPiece(answer: Answer, call: CallPiece): string {
  if (call.text === null) return callJson(answer, call, "");
  const words = `"function":{"arguments":"${escapeJson(call.text)}"}`;
  return `{"index":${call.index},"id":"","type":"function",${words}}`;
}

function callJson({ id }: Answer, { tool, index }: CallPiece, given: string): string {
  const called = `{"name":${JSON.stringify(tool.name)},"arguments":"${escapeJson(given)}"}`;
  return `{"index":${index},"id":"call_${id}${index}","type":"function","function":${called}}`;
}

function dashscopeUsage(script: DemoScript, counts: Counts): Json {
  return {
    ...countsOf(counts),
    prompt_tokens_details: { cached_tokens: script.cachedTokens ?? 0 },
    output_tokens_details: { reasoning_tokens: counts.reasoningTokens },
  };
}

function countsOf({ promptTokens, completionTokens }: Counts) {
  return {
    input_tokens: promptTokens,
    output_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

/** @see https://help.aliyun.com/zh/model-studio/error-code. */
const errorCodes: Readonly<Record<number, string>> = {
  400: "InvalidParameter",
  401: "InvalidApiKey",
  403: "AccessDenied",
  404: "ModelNotFound",
  429: "Throttling.RateQuota",
};

export const dashscope: Api = {
  framing: "events",
  read: readBody,
  chunk: null,
  reasons: true,
  events: dashscopeEvents,
  body: dashscopeBody,
  usage: dashscopeUsage,
  errorBody: (status, { message }) => ({
    code: errorCodes[status] ?? "InternalError",
    message,
    request_id: "scripted",
  }),
  errorEvent: (error) => ({
    event: "error",
    body: { code: "InternalError", message: errorWords(error), request_id: "scripted" },
  }),
};
