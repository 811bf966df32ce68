/**
 * Baidu's Wenxin workshop: tokens for the keys of an app, and answers, streamed and whole. Refusals
 * come with status 200.
 * Source: https://cloud.baidu.com/doc/WENXINWORKSHOP/s/clntwmv7t and /s/tlmyncueh.
 */

import { createHmac } from "node:crypto";
import type { Answer, AnswerPart, Counts } from "@tollgate/demo/answer.ts";
import { bodyEnd, pieceParts, section } from "@tollgate/demo/answers/body-parts.ts";
import { errorWords } from "@tollgate/demo/answers/errors.ts";
import { type Json, type JsonObject, objectsOf } from "@tollgate/demo/json.ts";
import type { DemoRequest } from "@tollgate/demo/request-parser.ts";
import {
  above,
  codeFor,
  demoSecret,
  isFlag,
  isList,
  isText,
  isWords,
  oneOf,
  refusedAdmission,
  type Provider,
  within,
  wrongField,
  wrongTurns,
} from "./provider.ts";

/** How long a token is valid, in seconds. */
const tokenSeconds = 2_592_000;

/** Answers a request for a token. Undefined: the request is for something else. */
export function baiduToken({ body, method, path, query }: DemoRequest) {
  if (!path.endsWith("/oauth/2.0/token")) return undefined;
  const fields = new URLSearchParams(method === "POST" && body !== "" ? body : query);
  const id = fields.get("client_id") ?? "";
  const refuse = (error: string, error_description: string) => ({
    status: 401,
    body: { error, error_description },
  });
  if (fields.get("grant_type") !== "client_credentials") {
    return refuse("unsupported_grant_type", "The authorization grant type is not supported");
  }
  if (id === "") return refuse("invalid_client", "unknown client id");
  if (fields.get("client_secret") !== demoSecret) {
    return refuse("invalid_client", "Client authentication failed");
  }
  const access_token = tokenOf(id);
  return { status: 200, body: { access_token, expires_in: tokenSeconds, scope: "public" } };
}

/** The token says for whom it is, so that none has to be kept. */
function tokenOf(id: string): string {
  return `24.${createHmac("sha256", demoSecret).update(id).digest("hex")}.${id}`;
}

function* wenxinEvents(answer: Answer): Generator<AnswerPart> {
  const { content, contentCount, usage } = answer;
  const open = (sentence: number, isEnd: boolean): string =>
    `{${opening(answer)},"sentence_id":${sentence},"is_end":${isEnd},"result":"`;
  for (let piece = 0; piece < contentCount; piece += 1) {
    const head = open(piece, false);
    const text = `${head}${content.jsonAt(piece)}"}`;
    yield { kind: "piece", text, pieces: 1, contentAt: head.length };
  }
  const counted = usage === null ? "" : `,"usage":${usage}`;
  const last = section("done", `${open(contentCount, true)}",${stop(answer)}${counted}}`);
  yield usage === null ? last : { ...last, usage };
}

function* wenxinBody(answer: Answer, grouped: boolean): Generator<AnswerPart> {
  yield section("start", `{${opening(answer)},"result":"`);
  yield* pieceParts(answer.content, answer.contentCount, grouped);
  yield section("finish", `",${stop(answer)}`);
  yield* bodyEnd(answer);
}

function opening({ id, created }: Answer): string {
  return `"id":"as-${id}","object":"chat.completion","created":${created},"need_clear_history":false`;
}

function stop({ finish }: Answer): string {
  const isCut = finish === "length";
  return `"is_truncated":${isCut},"finish_reason":"${isCut ? "length" : "normal"}"`;
}

function usageOf({ promptTokens, completionTokens }: Counts): Json {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

const codes = { 400: 336_003, 401: 110, 404: 3, 429: 18, 500: 336_100 };

const fields = {
  messages: isList,
  system: isText,
  temperature: above(0, 1),
  top_p: within(0, 1),
  penalty_score: within(1, 2),
  max_output_tokens: within(2, 8_192),
  stop: (value: Json) => Array.isArray(value) && value.length <= 4 && value.every(isWords),
  response_format: oneOf("json_object", "text"),
  disable_search: isFlag,
  enable_citation: isFlag,
  stream: isFlag,
  user_id: isText,
};

function readBody(body: JsonObject, model: string): JsonObject | string {
  const messages = objectsOf(body["messages"]);
  const roles = messages.map(({ role }) => role ?? null);
  const wrong =
    wrongField(body, fields, ["messages"]) ??
    messages
      .map((message) =>
        wrongField(message, { role: isWords, content: isWords }, ["role", "content"]),
      )
      .find((found) => found !== undefined) ??
    wrongTurns(roles, { user: "user", model: "assistant" });
  if (wrong !== undefined) return wrong;
  const { response_format: format, user_id: user = null, ...rest } = body;
  const shape = format === "json_object" ? { response_format: { schema: {} } } : {};
  return { ...rest, ...shape, model, user };
}

export const baiduWenxin: Provider = {
  framing: "events",
  chunk: null,
  reasons: false,
  refusalStatus: 200,
  events: wenxinEvents,
  body: wenxinBody,
  usage: (_, counts) => usageOf(counts),
  errorBody: (status, { message }) => ({ error_code: codeFor(codes, status), error_msg: message }),
  errorEvent: (error) => ({
    body: { error_code: codeFor(codes, 500), error_msg: errorWords(error) },
  }),
  admit({ header, query }) {
    const token = new URLSearchParams(query).get("access_token") ?? "";
    const id = token.split(".").slice(2).join(".");
    if (header("authorization") !== undefined) {
      return refusedAdmission("the token belongs into the address alone");
    }
    return token === tokenOf(id)
      ? { key: id }
      : refusedAdmission("Access token invalid or no longer valid");
  },
  read: (body, { model }) => readBody(body, model),
};
