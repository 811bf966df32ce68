/**
 * Answers of Cohere's /v1/chat, streamed as lines and whole.
 * Source: https://docs.cohere.com/v1/reference/chat-stream.
 */

import type { Answer, AnswerPart } from "@tollgate/demo/answer.ts";
import type { Api } from "@tollgate/demo/answers/api.ts";
import { bodyEnd, pieceParts, section, wholeCalls } from "@tollgate/demo/answers/body-parts.ts";
import { cohereUsage } from "./cohere-v2-parts.ts";
import { errorWords } from "@tollgate/demo/answers/errors.ts";
import { lines } from "#test/upstreams/packings.ts";
import { cohereV1Body as readBody } from "./native-bodies.ts";

function* cohereEvents(answer: Answer): Generator<AnswerPart> {
  const { calls, content, contentCount, id, usage } = answer;
  yield line("start", "stream-start", `"generation_id":"${id}"`);
  for (let piece = 0; calls === null && piece < contentCount; piece += 1) {
    const words = `"text":"${content.jsonAt(piece)}"`;
    yield { ...line("piece", "text-generation", words), pieces: 1 };
  }
  const called = callsOf(answer);
  if (calls !== null) {
    yield { ...line("piece", "tool-calls-generation", called), pieces: calls.length };
  }
  const text = `"text":"${calls === null ? content.joined(contentCount) : ""}"`;
  const meta = usage === null ? "" : `,"meta":${usage}`;
  const whole = `{${opening(answer)},${text},${called},${stop(answer)}${meta}}`;
  const end = line("done", "stream-end", `${stop(answer)},"response":${whole}`);
  yield usage === null ? end : { ...end, usage };
}

function* cohereBody(answer: Answer, grouped: boolean): Generator<AnswerPart> {
  const { calls, content, contentCount } = answer;
  yield section("start", `{${opening(answer)},"text":"`);
  if (calls === null) yield* pieceParts(content, contentCount, grouped);
  yield section("finish", `",`);
  yield { kind: "piece", text: callsOf(answer), pieces: calls?.length ?? 0 };
  yield section("finish", `,${stop(answer)}`);
  yield* bodyEnd(answer, "meta");
}

/** The calls of an answer, which have no ids and are not divided. */
function callsOf(answer: Answer): string {
  const calls = wholeCalls(answer).map(
    ({ tool }) => `{"name":${JSON.stringify(tool.name)},"parameters":${tool.argumentsText}}`,
  );
  return `"tool_calls":[${calls.join(",")}]`;
}

function opening({ id }: Answer): string {
  return `"response_id":"${id}","generation_id":"${id}","chat_history":[]`;
}

function stop({ finish }: Answer): string {
  return `"finish_reason":"${finish === "length" ? "MAX_TOKENS" : "COMPLETE"}"`;
}

function line(kind: AnswerPart["kind"], type: string, members: string): AnswerPart {
  const text = `{"is_finished":${kind === "done"},"event_type":"${type}",${members}}`;
  return { kind, text, pieces: 0 };
}

export const cohereV1: Api = {
  framing: lines,
  read: readBody,
  chunk: null,
  reasons: false,
  events: cohereEvents,
  body: cohereBody,
  usage: cohereUsage,
  errorBody: (_, { message }) => ({ message }),
  errorEvent: (error) => ({ body: { message: errorWords(error) } }),
};
