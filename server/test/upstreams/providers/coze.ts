/**
 * Streams of Coze's bots. An answer that is not streamed would have to be polled for. Refusals come
 * with status 200.
 * Source: https://www.coze.cn/open/docs/developer_guides/chat_v3.
 */

import type { Answer, AnswerPart, Counts } from "@tollgate/demo/answer.ts";
import { section } from "@tollgate/demo/answers/body-parts.ts";
import { errorWords } from "@tollgate/demo/answers/errors.ts";
import { reasoningPieces } from "@tollgate/demo/answers/pieces.ts";
import { type Json, type JsonObject, objectsOf, parseList } from "@tollgate/demo/json.ts";
import {
  codeFor,
  isFlag,
  isList,
  isText,
  isWords,
  oneOf,
  type Provider,
  wrongField,
} from "./provider.ts";

function* cozeEvents(answer: Answer): Generator<AnswerPart> {
  const { content, contentCount, reasoningCount, usage } = answer;
  yield chatEvent(answer, "start", "created");
  yield chatEvent(answer, "start", "in_progress");
  const message = (event: string, field: string, words: string): AnswerPart => {
    const open = `{${idsOf(answer)},"role":"assistant","type":"answer","${field}":"`;
    const rest = field === "content" ? "" : `,"content":""`;
    const text = `${open}${words}"${rest},"content_type":"text"}`;
    const name = `conversation.message.${event}`;
    return { kind: "piece", event: name, text, pieces: 1, contentAt: open.length };
  };
  for (let piece = 0; piece < reasoningCount; piece += 1) {
    yield message("delta", "reasoning_content", reasoningPieces().jsonAt(piece));
  }
  for (let piece = 0; piece < contentCount; piece += 1) {
    yield message("delta", "content", content.jsonAt(piece));
  }
  const whole = message("completed", "content", content.joined(contentCount));
  yield { ...whole, kind: "finish", pieces: 0 };
  const last = chatEvent(answer, "usage", "completed", usage === null ? "" : `,"usage":${usage}`);
  yield usage === null ? last : { ...last, usage };
  yield { ...section("done", `"[DONE]"`), event: "done" };
}

function chatEvent(
  answer: Answer,
  kind: AnswerPart["kind"],
  status: string,
  more = "",
): AnswerPart {
  const text = `{${idsOf(answer)},"created_at":${answer.created},"status":"${status}"${more}}`;
  return { ...section(kind, text), event: `conversation.chat.${status}` };
}

function idsOf({ call, id }: Answer): string {
  const bot = JSON.stringify(call.model);
  return `"id":"${id}","chat_id":"${id}","conversation_id":"conv-${id}","bot_id":${bot}`;
}

/** Says that the answer is being made: it is never given, because nobody polls for it. */
function* cozeBody(answer: Answer): Generator<AnswerPart> {
  yield section("start", `{"code":0,"msg":"","data":{${idsOf(answer)},"status":"in_progress"}`);
  yield section("done", "}");
}

function usageOf({ promptTokens, completionTokens }: Counts): Json {
  const token_count = promptTokens + completionTokens;
  return { token_count, output_count: completionTokens, input_count: promptTokens };
}

const codes = { 400: 4_000, 401: 4_100, 403: 4_101, 404: 4_200, 429: 4_013, 500: 5_000 };

const fields = {
  bot_id: isWords,
  user_id: isWords,
  stream: isFlag,
  auto_save_history: isFlag,
  additional_messages: isList,
};
const messageFields = {
  role: oneOf("user", "assistant"),
  content: isText,
  content_type: oneOf("text", "object_string"),
};

function readBody(body: JsonObject): JsonObject | string {
  const messages = objectsOf(body["additional_messages"]);
  const wrong =
    wrongField(body, fields, ["bot_id", "user_id"]) ??
    messages
      .map((message) => wrongField(message, messageFields, ["role", "content", "content_type"]))
      .find((found) => found !== undefined);
  if (wrong !== undefined) return wrong;
  if (messages.at(-1)?.["role"] !== "user") return "the last message must be the user's";
  if (body["stream"] !== true && body["auto_save_history"] === false) {
    return "auto_save_history may be false only in streams";
  }
  const read = messages.map((message) => ({ ...message, content: contentOf(message) }));
  return { ...body, model: body["bot_id"] ?? "", user: body["user_id"] ?? "", messages: read };
}

/** A content of several parts is a text with their JSON. */
function contentOf({ content = "", content_type: type }: JsonObject): Json {
  return type === "object_string" && typeof content === "string" ? parseList(content) : content;
}

export const coze: Provider = {
  framing: "events",
  chunk: null,
  reasons: true,
  refusalStatus: 200,
  events: cozeEvents,
  body: cozeBody,
  usage: (_, counts) => usageOf(counts),
  errorBody: (status, { message }) => ({
    code: codeFor(codes, status),
    msg: message,
    detail: { logid: "scripted" },
  }),
  errorEvent: (error) => ({
    event: "error",
    body: { code: codeFor(codes, 500), msg: errorWords(error) },
  }),
  read: readBody,
};
