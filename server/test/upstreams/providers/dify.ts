/**
 * Answers of apps made with Dify: chats and completions, which differ in their paths alone, and
 * workflows. An app has no models: its key, `app-` and a name, says which one it is.
 * Source: https://docs.dify.ai/api-reference.
 */

import type { Answer, AnswerPart, Counts } from "@tollgate/demo/answer.ts";
import { pieceParts, section } from "@tollgate/demo/answers/body-parts.ts";
import { errorWords } from "@tollgate/demo/answers/errors.ts";
import { isObject, type Json, type JsonObject, objectsOf } from "@tollgate/demo/json.ts";
import { isList, isText, isWords, oneOf, type Provider, wrongField } from "./provider.ts";

const keyPrefix = "app-";

function* chatEvents(answer: Answer): Generator<AnswerPart> {
  const { content, contentCount, usage } = answer;
  for (let piece = 0; piece < contentCount; piece += 1) {
    const open = `{"event":"message",${idsOf(answer)},"answer":"`;
    const text = `${open}${content.jsonAt(piece)}"}`;
    yield { kind: "piece", text, pieces: 1, contentAt: open.length };
  }
  const metadata = usage === null ? "{}" : `{"usage":${usage}}`;
  const last = section("done", `{"event":"message_end",${idsOf(answer)},"metadata":${metadata}}`);
  yield usage === null ? last : { ...last, usage };
}

function* chatBody(answer: Answer, grouped: boolean): Generator<AnswerPart> {
  const { content, contentCount, usage } = answer;
  yield section("start", `{"event":"message",${idsOf(answer)},"mode":"chat","answer":"`);
  yield* pieceParts(content, contentCount, grouped);
  yield section("finish", `"`);
  if (usage !== null) {
    yield { ...section("usage", `,"metadata":{"usage":${usage},"retriever_resources":[]}`), usage };
  }
  yield section("done", "}");
}

function idsOf({ id, created }: Answer): string {
  const conversation = `"conversation_id":"conv-${id}"`;
  return `"task_id":"task-${id}","message_id":"${id}",${conversation},"created_at":${created}`;
}

function* workflowEvents(answer: Answer): Generator<AnswerPart> {
  const { content, contentCount } = answer;
  yield section("start", `{"event":"workflow_started",${runOf(answer)},"data":{"inputs":{}}}`);
  for (let piece = 0; piece < contentCount; piece += 1) {
    const open = `{"event":"text_chunk",${runOf(answer)},"data":{"text":"`;
    const text = `${open}${content.jsonAt(piece)}"}}`;
    yield { kind: "piece", text, pieces: 1, contentAt: open.length };
  }
  const outputs = `"outputs":{"text":"${content.joined(contentCount)}"}`;
  const data = `"data":{"status":"succeeded",${outputs},"error":null}`;
  yield section("done", `{"event":"workflow_finished",${runOf(answer)},${data}}`);
}

function* workflowBody(answer: Answer, grouped: boolean): Generator<AnswerPart> {
  const open = `"data":{"status":"succeeded","error":null,"outputs":{"text":"`;
  yield section("start", `{${runOf(answer)},${open}`);
  yield* pieceParts(answer.content, answer.contentCount, grouped);
  yield section("finish", `"}}`);
  yield section("done", "}");
}

function runOf({ id }: Answer): string {
  return `"task_id":"task-${id}","workflow_run_id":"${id}"`;
}

function usageOf({ promptTokens, completionTokens }: Counts): Json {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    total_price: "0",
    currency: "USD",
    latency: 0,
  };
}

/** The words for statuses; those of servers' faults are one. */
const codes: Readonly<Record<number, string>> = {
  400: "invalid_param",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  429: "too_many_requests",
};

const fields = {
  inputs: (value: Json) => isObject(value),
  query: isText,
  response_mode: oneOf("streaming", "blocking"),
  user: isWords,
  conversation_id: isText,
  files: isList,
  auto_generate_name: (value: Json) => typeof value === "boolean",
};
const fileFields = {
  type: oneOf("image", "document", "audio", "video", "custom"),
  transfer_method: oneOf("remote_url"),
  url: isWords,
};

function readBody(body: JsonObject, key: string, path: string): JsonObject | string {
  const files = objectsOf(body["files"]);
  const wrong =
    wrongField(body, fields, ["inputs", "response_mode", "user"]) ??
    files
      .map((file) => wrongField(file, fileFields, ["type", "transfer_method", "url"]))
      .find((found) => found !== undefined);
  if (wrong !== undefined) return wrong;
  if (!key.startsWith(keyPrefix)) return "the key is not that of an app";
  const inputs = isObject(body["inputs"]) ? body["inputs"]["query"] : undefined;
  const query = path.endsWith("/chat-messages") ? body["query"] : inputs;
  if (typeof query !== "string" || query === "") return "the field query is missing";
  const images = files.map(({ url = "" }) => ({ type: "image", url }));
  return {
    model: key.slice(keyPrefix.length),
    messages: [{ role: "user", content: [{ type: "text", text: query }, ...images] }],
    stream: body["response_mode"] === "streaming",
    user: body["user"] ?? "",
  };
}

export const dify: Provider = {
  framing: "events",
  chunk: null,
  reasons: false,
  events: chatEvents,
  body: chatBody,
  usage: (_, counts) => usageOf(counts),
  errorBody: (status, { message }) => ({
    code: codes[status] ?? (status < 500 ? "bad_request" : "internal_server_error"),
    message,
    status,
  }),
  errorEvent: (error) => ({
    body: {
      event: "error",
      task_id: "scripted",
      status: 500,
      code: "internal_server_error",
      message: errorWords(error),
    },
  }),
  read: (body, { key, path }) => readBody(body, key, path),
};

/** Workflows, which report no usage. */
export const difyWorkflow: Provider = {
  ...dify,
  events: workflowEvents,
  body: workflowBody,
  usage: () => null,
};
