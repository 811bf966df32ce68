/**
 * Answers of Ollama's /api/chat, streamed as lines and whole.
 * Source: https://docs.ollama.com/api/chat.
 */

import type { Answer, AnswerPart, Counts } from "@tollgate/demo/answer.ts";
import type { Json } from "@tollgate/demo/json.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import type { Api } from "@tollgate/demo/answers/api.ts";
import { pieceParts, section, wholeCalls } from "@tollgate/demo/answers/body-parts.ts";
import { errorWords } from "@tollgate/demo/answers/errors.ts";
import { reasoningPieces } from "@tollgate/demo/answers/pieces.ts";
import { lines } from "#test/upstreams/packings.ts";
import { ollamaBody as readBody } from "./native-bodies.ts";

function* ollamaEvents(answer: Answer): Generator<AnswerPart> {
  const { calls, content, contentCount, reasoningCount, usage } = answer;
  const open = `{${opening(answer)},"message":{"role":"assistant","content":"`;
  const event = (words: string, rest: string): AnswerPart => ({
    kind: "piece",
    text: `${open}${words}"${rest}},"done":false}`,
    pieces: 1,
    contentAt: open.length,
  });
  for (let piece = 0; piece < reasoningCount; piece += 1) {
    yield event("", `,"thinking":"${reasoningPieces().jsonAt(piece)}"`);
  }
  for (let piece = 0; calls === null && piece < contentCount; piece += 1) {
    yield event(content.jsonAt(piece), "");
  }
  for (const { text, pieces } of callParts(answer)) {
    yield { ...event("", `,"tool_calls":[${text}]`), pieces };
  }
  const end = `${open}"},${closing(answer)}}`;
  yield { kind: "done", text: end, pieces: 0, ...(usage === null ? {} : { usage }) };
}

function* ollamaBody(answer: Answer, grouped: boolean): Generator<AnswerPart> {
  const { calls, content, contentCount, reasoningCount, usage } = answer;
  yield section("start", `{${opening(answer)},"message":{"role":"assistant"`);
  if (reasoningCount > 0) {
    yield section("start", `,"thinking":"`);
    yield* pieceParts(reasoningPieces(), reasoningCount, grouped);
    yield section("finish", `"`);
  }
  yield section("start", `,"content":"`);
  if (calls === null) yield* pieceParts(content, contentCount, grouped);
  yield section("finish", `"`);
  const whole = callParts(answer);
  for (const [at, { text, pieces }] of whole.entries()) {
    const before = at === 0 ? `,"tool_calls":[` : ",";
    yield { kind: "piece", text: before + text + (at === whole.length - 1 ? "]" : ""), pieces };
  }
  const end = section("usage", `},${closing(answer)}`);
  yield usage === null ? end : { ...end, usage };
  yield section("done", "}");
}

/** The calls of an answer, which are not divided. */
function callParts(answer: Answer): { readonly text: string; readonly pieces: number }[] {
  return wholeCalls(answer).map(({ tool, pieces }) => {
    const called = `"name":${JSON.stringify(tool.name)},"arguments":${tool.argumentsText}`;
    return { text: `{"function":{${called}}}`, pieces };
  });
}

function opening({ call, created }: Answer): string {
  const time = new Date(created * 1_000).toISOString();
  return `"model":${JSON.stringify(call.model)},"created_at":"${time}"`;
}

/** The members of the last object, among which the counts stand. */
function closing({ finish, usage }: Answer): string {
  const reason = finish === "length" ? "length" : "stop";
  const counts = usage?.startsWith("{") === true ? usage.slice(1, -1) : "";
  const counted = counts === "" ? "" : `,${counts}`;
  return `"done":true,"done_reason":"${reason}","total_duration":1,"load_duration":1${counted}`;
}

function ollamaUsage(_: DemoScript, { promptTokens, completionTokens }: Counts): Json {
  return {
    prompt_eval_count: promptTokens,
    prompt_eval_duration: 1,
    eval_count: completionTokens,
    eval_duration: 1,
  };
}

export const ollama: Api = {
  framing: lines,
  read: readBody,
  chunk: null,
  reasons: true,
  events: ollamaEvents,
  body: ollamaBody,
  usage: ollamaUsage,
  errorBody: (_, { message }) => ({ error: message }),
  errorEvent: (error) => ({ body: { error: errorWords(error) } }),
};
