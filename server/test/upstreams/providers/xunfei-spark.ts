/**
 * Xunfei's Spark over WebSocket: the address is signed, one message asks, and several answer.
 * Source: https://www.xfyun.cn/doc/spark/Web.html and /general_url_authentication.html.
 */

import { createHmac } from "node:crypto";
import type { Answer, AnswerPart, Counts } from "@tollgate/demo/answer.ts";
import { section, wholeCalls } from "@tollgate/demo/answers/body-parts.ts";
import { errorWords } from "@tollgate/demo/answers/errors.ts";
import { escapeJson, reasoningPieces } from "@tollgate/demo/answers/pieces.ts";
import type { Connection } from "@tollgate/demo/connection.ts";
import { isObject, type Json, type JsonObject, objectsOf } from "@tollgate/demo/json.ts";
import { acceptWebSocket } from "#test/upstreams/live/web-socket.ts";
import type { Admission } from "@tollgate/demo/keys.ts";
import type { DemoRequest } from "@tollgate/demo/request-parser.ts";
import { sendJson } from "@tollgate/demo/send.ts";
import {
  above,
  codeFor,
  demoSecret,
  isList,
  isText,
  isWords,
  oneOf,
  refusedAdmission,
  type Provider,
  within,
  wrongField,
} from "./provider.ts";
import { socketMessages } from "#test/upstreams/packings.ts";

/** How far the time of a signature may be from ours, in milliseconds. */
const clockMsMax = 300_000;

/** Checks the signature of the address by making it anew. */
function admit({ header, method, path, query }: DemoRequest, nowMs: number): Admission {
  const refuse = refusedAdmission;
  const fields = new URLSearchParams(query);
  const [date, host] = [fields.get("date") ?? "", fields.get("host") ?? ""];
  if (host !== header("host")) return refuse("the host is not the one that was called");
  const isDate = /^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/.test(date);
  if (!isDate || Math.abs(Date.parse(date) - nowMs) > clockMsMax) {
    return refuse("HMAC signature cannot be verified, a valid date is required");
  }
  const claims = Buffer.from(fields.get("authorization") ?? "", "base64").toString();
  const [, key = "", signature = ""] =
    /^api_key="([^"]+)", algorithm="hmac-sha256", headers="host date request-line", signature="([^"]+)"$/.exec(
      claims,
    ) ?? [];
  const signed = `host: ${host}\ndate: ${date}\n${method} ${path} HTTP/1.1`;
  const wanted = createHmac("sha256", demoSecret).update(signed).digest("base64");
  return key !== "" && signature === wanted ? { key } : refuse("HMAC signature does not match");
}

/**
 * Accepts a WebSocket and has its first message answered as a call. Undefined: everything was sent
 * before the function returned.
 */
export function openSpark(
  request: DemoRequest,
  connection: Connection,
  answer: (asked: DemoRequest) => Promise<void> | undefined,
): Promise<void> | undefined {
  const admitted = admit(request, Date.now());
  if ("refusal" in admitted) {
    const { message } = admitted.refusal;
    return sendJson(connection, 401, JSON.stringify({ message }));
  }
  let isAsked = false;
  const end = acceptWebSocket(request, connection, {
    message(body) {
      // Only the first message asks.
      if (isAsked) return;
      isAsked = true;
      void answer({ ...request, body });
    },
    closed() {},
  });
  if (end === undefined) {
    return sendJson(connection, 400, JSON.stringify({ message: "a WebSocket is required" }));
  }
  return connection.gone();
}

function* sparkEvents(answer: Answer): Generator<AnswerPart> {
  const { calls, content, contentCount, reasoningCount, usage } = answer;
  let sequence = 0;
  const message = (words: string, more: string, isLast: boolean): string => {
    const status = isLast ? 2 : Math.min(sequence, 1);
    const header = `"header":{"code":0,"message":"Success","sid":"${answer.id}","status":${status}}`;
    const choices = `"choices":{"status":${status},"seq":${sequence},"text":[{"index":0,"role":"assistant","content":"`;
    const counted = isLast && usage !== null ? `,"usage":{"text":${usage}}` : "";
    sequence += 1;
    return `{${header},"payload":{${choices}${words}"${more}}]}${counted}}}`;
  };
  for (let piece = 0; piece < reasoningCount; piece += 1) {
    const more = `,"reasoning_content":"${reasoningPieces().jsonAt(piece)}"`;
    yield { kind: "piece", text: message("", more, false), pieces: 1 };
  }
  for (let piece = 0; calls === null && piece < contentCount; piece += 1) {
    yield { kind: "piece", text: message(content.jsonAt(piece), "", false), pieces: 1 };
  }
  for (const { pieces, tool } of wholeCalls(answer)) {
    const called = `{"name":${JSON.stringify(tool.name)},"arguments":"${escapeJson(tool.argumentsText)}"}`;
    const text = message("", `,"content_type":"text","function_call":${called}`, false);
    yield { kind: "piece", text, pieces };
  }
  const last = section("done", message("", "", true));
  yield usage === null ? last : { ...last, usage };
}

function usageOf({ promptTokens, completionTokens }: Counts): Json {
  return {
    question_tokens: promptTokens,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

/** By status: a wrong body, an app without the right, too much traffic, and a busy service. */
const codes = { 400: 10_004, 401: 10_313, 403: 10_016, 404: 10_163, 429: 11_202, 500: 10_110 };

function failure(status: number, message: string): Json {
  return { header: { code: codeFor(codes, status), message, sid: "scripted", status: 2 } };
}

/** The domain that a path serves. The path `/demo/chat`, which Spark has not, serves any. */
const domains: Readonly<Record<string, string>> = {
  "/chat/max-32k": "max-32k",
  "/chat/pro-128k": "pro-128k",
  "/v1.1/chat": "lite",
  "/v2.1/chat": "generalv2",
  "/v3.1/chat": "generalv3",
  "/v3.5/chat": "generalv3.5",
  "/v4.0/chat": "4.0Ultra",
};

const object = (value: Json): boolean => isObject(value);
const settings = {
  domain: isWords,
  max_tokens: within(1, 32_768),
  temperature: above(0, 1),
  top_k: within(1, 6),
};
const functionFields = { name: isWords, description: isText, parameters: object };

function readBody(body: JsonObject, path: string): JsonObject | string {
  const [header, parameter, payload] = [body["header"], body["parameter"], body["payload"]].map(
    objectOf,
  );
  const chat = objectOf(parameter?.["chat"]);
  const messages = objectsOf(objectOf(payload?.["message"])["text"]);
  const functions = objectsOf(objectOf(payload?.["functions"])["text"]);
  const wrong =
    wrongField(body, { header: object, parameter: object, payload: object }, ["payload"]) ??
    wrongField(header ?? {}, { app_id: isWords, uid: isUser }, ["app_id"]) ??
    wrongField(parameter ?? {}, { chat: object }, ["chat"]) ??
    wrongField(payload ?? {}, { message: object, functions: object }, ["message"]) ??
    wrongField(chat, settings, ["domain"]) ??
    wrongField(objectOf(payload?.["message"]), { text: isList }, ["text"]) ??
    messages
      .map((message) => wrongField(message, messageFields, ["role", "content"]))
      .find((found) => found !== undefined) ??
    functions
      .map((each) => wrongField(each, functionFields, ["name", "parameters"]))
      .find((found) => found !== undefined);
  if (wrong !== undefined) return wrong;
  const { domain = "", max_tokens = null } = chat;
  if ((domains[path] ?? domain) !== domain) return `the domain is not that of ${path}`;
  const isLate = messages.slice(1).some(({ role }) => role === "system");
  if (isLate) return "only the first message may be the system's";
  if (messages.at(-1)?.["role"] !== "user") return "the last message must be the user's";
  return { model: domain, max_tokens, stream: true, messages, tools: functions };
}

const messageFields = { role: oneOf("system", "user", "assistant"), content: isWords };

function isUser(value: Json): boolean {
  return typeof value === "string" && value.length <= 32;
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export const xunfeiSpark: Provider = {
  framing: socketMessages,
  chunk: null,
  reasons: true,
  callsOne: true,
  refusalStatus: 200,
  events: sparkEvents,
  // Nothing is answered whole.
  body: sparkEvents,
  usage: (_, counts) => usageOf(counts),
  errorBody: (status, { message }) => failure(status, message),
  errorEvent: (error) => ({ body: failure(500, errorWords(error)) }),
  admit,
  read: (body, { path }) => readBody(body, path),
};
