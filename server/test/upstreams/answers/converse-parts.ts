/**
 * Answers of Amazon Bedrock's Converse, streamed and whole.
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html.
 */

import type { Answer, AnswerPart, CallPiece, Counts } from "@tollgate/demo/answer.ts";
import type { Json } from "@tollgate/demo/json.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import type { Api } from "@tollgate/demo/answers/api.ts";
import { bodyEnd, pieceParts, section, wholeCalls } from "@tollgate/demo/answers/body-parts.ts";
import { errorWords } from "@tollgate/demo/answers/errors.ts";
import { escapeJson, reasoningPieces, scriptedSignature } from "@tollgate/demo/answers/pieces.ts";
import { amazon } from "#test/upstreams/packings.ts";
import { converseBody as readBody } from "./native-bodies.ts";
import { type Admission, admitKey, keyOf } from "@tollgate/demo/keys.ts";
import type { DemoRequest } from "@tollgate/demo/request-parser.ts";

function* converseEvents(answer: Answer): Generator<AnswerPart> {
  const { calls, content, contentCount, reasoningCount, usage, script } = answer;
  let block = 0;
  const event = (name: string, members: string): AnswerPart => ({
    kind: "start",
    event: name,
    text: `{${members}}`,
    pieces: 0,
  });
  const at = (): string => `"contentBlockIndex":${block}`;
  const delta = (members: string): AnswerPart => ({
    ...event("contentBlockDelta", `${at()},"delta":{${members}}`),
    kind: "piece",
    pieces: 1,
  });
  const stop = (): AnswerPart => event("contentBlockStop", at());

  yield event("messageStart", `"role":"assistant"`);
  if (reasoningCount > 0) {
    for (let piece = 0; piece < reasoningCount; piece += 1) {
      yield delta(`"reasoningContent":{"text":"${reasoningPieces().jsonAt(piece)}"}`);
    }
    const signature = `"delta":{"reasoningContent":{"signature":"${scriptedSignature}"}}`;
    yield event("contentBlockDelta", `${at()},${signature}`);
    yield stop();
    block += 1;
  }
  for (let piece = 0; calls === null && piece < contentCount; piece += 1) {
    yield delta(`"text":"${content.jsonAt(piece)}"`);
  }
  if (calls === null) yield stop();
  for (const call of calls ?? []) {
    if (call.text === null) {
      if (call.index > 0) block += 1;
      const opened = event(
        "contentBlockStart",
        `${at()},"start":{"toolUse":{${idOf(answer, call)}}}`,
      );
      yield { ...opened, kind: "piece", pieces: 1 };
    } else yield delta(`"toolUse":{"input":"${escapeJson(call.text)}"}`);
    if (call.isLast) yield stop();
  }
  yield { ...event("messageStop", `"stopReason":"${stopReason(answer)}"`), kind: "finish" };
  const counted = usage === null ? "" : `"usage":${usage},`;
  const end = {
    ...event("metadata", `${counted}"metrics":{"latencyMs":1}`),
    kind: "done",
  } as const;
  yield usage === null ? end : { ...end, usage };
  if (usage !== null && script.usageTwice === true) yield { ...end, kind: "usage" };
}

function* converseBody(answer: Answer, grouped: boolean): Generator<AnswerPart> {
  const { calls, content, contentCount, reasoningCount } = answer;
  yield section("start", `{"output":{"message":{"role":"assistant","content":[`);
  if (reasoningCount > 0) {
    yield section("start", `{"reasoningContent":{"reasoningText":{"text":"`);
    yield* pieceParts(reasoningPieces(), reasoningCount, grouped);
    const comma = contentCount > 0 ? "," : "";
    yield section("finish", `","signature":"${scriptedSignature}"}}}${comma}`);
  }
  if (calls === null && contentCount > 0) {
    yield section("start", `{"text":"`);
    yield* pieceParts(content, contentCount, grouped);
    yield section("finish", `"}`);
  }
  for (const call of wholeCalls(answer)) {
    const comma = call.index > 0 ? "," : "";
    const used = `{${idOf(answer, call)},"input":${call.tool.argumentsText}}`;
    yield { kind: "piece", text: `${comma}{"toolUse":${used}}`, pieces: call.pieces };
  }
  const stop = `"stopReason":"${stopReason(answer)}"`;
  yield section("finish", `]}},${stop},"metrics":{"latencyMs":1}`);
  yield* bodyEnd(answer);
}

function idOf({ id }: Answer, { tool, index }: CallPiece): string {
  return `"toolUseId":"tooluse_${id}${index}","name":${JSON.stringify(tool.name)}`;
}

function stopReason({ finish }: Answer): string {
  if (finish === "length") return "max_tokens";
  return finish === "stop" ? "end_turn" : "tool_use";
}

/** `inputTokens` are the uncached ones, the total has all. */
function converseUsage(script: DemoScript, counts: Counts): Json {
  const { promptTokens, completionTokens } = counts;
  const { cachedTokens = 0, cacheWriteTokens = 0 } = script;
  return {
    inputTokens: promptTokens - cachedTokens - cacheWriteTokens,
    outputTokens: completionTokens,
    totalTokens: promptTokens + completionTokens,
    cacheReadInputTokens: cachedTokens,
    cacheWriteInputTokens: cacheWriteTokens,
  };
}

/**
 * Checks the key, of which signed requests show the id. The signature is not checked.
 */
export function admitSigned(request: DemoRequest): Admission {
  const authorization = request.header("authorization") ?? "";
  const signed = /^AWS4-HMAC-SHA256 Credential=([^/]+)/.exec(authorization)?.[1];
  return admitKey(signed ?? keyOf(request));
}

export const converse: Api = {
  framing: amazon,
  admit: admitSigned,
  read: readBody,
  chunk: null,
  reasons: true,
  events: converseEvents,
  body: converseBody,
  usage: converseUsage,
  errorBody: (_, { message }) => ({ message }),
  errorEvent: (error) => ({
    event: "internalServerException",
    body: { message: errorWords(error) },
  }),
};
