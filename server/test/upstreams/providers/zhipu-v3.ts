/**
 * Version 3 of Zhipu's API: keys that are signed as a token, and answers, streamed and whole.
 * Source: the version's requests and answers as its Python package and one-api compatible gateways
 * know them. That a refusal has an HTTP status is assumed.
 */

import { createHmac } from "node:crypto";
import type { Answer, AnswerPart, Counts } from "@tollgate/demo/answer.ts";
import { pieceParts, section } from "@tollgate/demo/answers/body-parts.ts";
import { errorWords } from "@tollgate/demo/answers/errors.ts";
import { escapeJson } from "@tollgate/demo/answers/pieces.ts";
import { type Json, type JsonObject, objectsOf, parseObject } from "@tollgate/demo/json.ts";
import type { Admission } from "@tollgate/demo/keys.ts";
import {
  codeFor,
  demoSecret,
  inside,
  isFlag,
  isList,
  isText,
  isWords,
  refusedAdmission,
  type Provider,
  wrongField,
  wrongTurns,
} from "./provider.ts";
import { blocks } from "#test/upstreams/packings.ts";

/** How long a token may be valid, in milliseconds: a day. */
const tokenMsMax = 86_400_000;

/** Checks a token, which stands in the header without `Bearer`. Its times are milliseconds. */
function admit(token: string, nowMs: number): Admission {
  const [head = "", claims = "", signature = "", ...more] = token.split(".");
  const { alg, sign_type: type } = readPart(head);
  const { api_key: id, exp, timestamp } = readPart(claims);
  const signed = createHmac("sha256", demoSecret).update(`${head}.${claims}`).digest("base64url");
  if (more.length > 0 || alg !== "HS256" || type !== "SIGN" || typeof id !== "string") {
    return refusedAdmission("Authorization Token is illegal");
  }
  if (signature !== signed) return refusedAdmission("the token's signature does not match");
  const isNow = typeof exp === "number" && exp > nowMs && exp < nowMs + tokenMsMax;
  return isNow && typeof timestamp === "number"
    ? { key: id }
    : refusedAdmission("Authorization Token has expired");
}

function readPart(part: string): JsonObject {
  return parseObject(Buffer.from(part, "base64url").toString()) ?? {};
}

/** Each event is lines of its own: the text stands behind `data:` as it is, without quotes. */
function* glmEvents(answer: Answer): Generator<AnswerPart> {
  const { content, contentCount, id, usage } = answer;
  const open = `event:add\nid:${id}\n`;
  for (let piece = 0; piece < contentCount; piece += 1) {
    // Safe cast: a JSON string is read as one.
    const words = JSON.parse(`"${content.jsonAt(piece)}"`) as string;
    const text = open + dataLines(words);
    yield { kind: "piece", text, pieces: 1, contentAt: `${open}data:`.length };
  }
  const meta = `{${closing(answer)}${usage === null ? "" : `,"usage":${usage}`}}`;
  const last = section("done", `event:finish\nid:${id}\ndata:\nmeta:${meta}`);
  yield usage === null ? last : { ...last, usage };
}

function dataLines(words: string): string {
  return words
    .split("\n")
    .map((line) => `data:${line}`)
    .join("\n");
}

/** The text is a JSON string inside a string, and begins with a space. */
function* glmBody(answer: Answer, grouped: boolean): Generator<AnswerPart> {
  const { content, contentCount, usage } = answer;
  const quote = escapeJson(`"`);
  const choices = `"choices":[{"role":"assistant","content":"${quote}`;
  yield section("start", `{"code":200,"msg":"操作成功","data":{${closing(answer)},${choices}`);
  const twice = { ...content, jsonAt: (index: number) => escapeJson(content.jsonAt(index)) };
  const joined = (count: number): string => escapeJson(content.joined(count));
  yield* pieceParts({ ...twice, joined }, contentCount, grouped);
  yield section("finish", `${quote}"}]`);
  if (usage !== null) yield { ...section("usage", `,"usage":${usage}`), usage };
  yield section("done", `},"success":true}`);
}

function closing({ id }: Answer): string {
  return `"request_id":"${id}","task_id":"${id}","task_status":"SUCCESS"`;
}

function usageOf({ promptTokens, completionTokens }: Counts): Json {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

const codes = { 400: 1_214, 401: 1_002, 404: 1_211, 429: 1_302, 500: 500 };

const fields = {
  prompt: isList,
  temperature: inside(0, 1),
  top_p: inside(0, 1),
  incremental: isFlag,
  request_id: isText,
};

function readBody(body: JsonObject, model: string): JsonObject | string {
  const messages = objectsOf(body["prompt"]);
  const roles = messages.map(({ role }) => role ?? null);
  const wrong =
    wrongField(body, fields, ["prompt"]) ??
    messages
      .map((message) =>
        wrongField(message, { role: isWords, content: isWords }, ["role", "content"]),
      )
      .find((found) => found !== undefined) ??
    wrongTurns(roles, { user: "user", model: "assistant" });
  return wrong ?? { ...body, model, messages };
}

export const zhipuV3: Provider = {
  framing: blocks,
  chunk: null,
  reasons: false,
  events: glmEvents,
  body: glmBody,
  usage: (_, counts) => usageOf(counts),
  errorBody: (status, { message }) => ({
    code: codeFor(codes, status),
    msg: message,
    success: false,
  }),
  errorEvent: (error) => ({
    body: { code: codeFor(codes, 500), msg: errorWords(error), success: false },
  }),
  errorBlock: (error) => `event:error\nid:scripted\n${dataLines(errorWords(error))}`,
  admit: ({ header }, nowMs) => admit(header("authorization") ?? "", nowMs),
  read: (body, { model }) => readBody(body, model),
};
