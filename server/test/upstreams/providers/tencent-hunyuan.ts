/**
 * Tencent's Hunyuan: signed requests, and answers, streamed and whole. Refusals come with status
 * 200.
 * Source: https://cloud.tencent.com/document/api/1729/105701 and, for the signature, /101843.
 */

import { createHash, createHmac, type BinaryLike } from "node:crypto";
import type { Answer, AnswerPart, CallPiece, Counts } from "@tollgate/demo/answer.ts";
import { pieceParts, section, wholeCalls } from "@tollgate/demo/answers/body-parts.ts";
import { errorWords } from "@tollgate/demo/answers/errors.ts";
import { escapeJson, reasoningPieces } from "@tollgate/demo/answers/pieces.ts";
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  objectsOf,
  parseObject,
} from "@tollgate/demo/json.ts";
import type { Admission } from "@tollgate/demo/keys.ts";
import type { DemoRequest } from "@tollgate/demo/request-parser.ts";
import {
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
} from "./provider.ts";

/** How far the time of a signature may be from ours, in seconds. */
const clockSecondsMax = 300;
const service = "hunyuan";

/** Checks a signature (TC3-HMAC-SHA256) by making it anew. */
function admit({ body, header }: DemoRequest, nowMs: number): Admission {
  const refuse = (message: string) => refusedAdmission(message);
  if (header("x-tc-action") !== "ChatCompletions") return refuse("X-TC-Action is wrong");
  if (header("x-tc-version") !== "2023-09-01") return refuse("X-TC-Version is wrong");
  const seconds = header("x-tc-timestamp") ?? "";
  if (!/^\d+$/.test(seconds)) return refuse("X-TC-Timestamp is no number of seconds");
  if (Math.abs(Number(seconds) - nowMs / 1_000) > clockSecondsMax) {
    return refuse("the signature has expired");
  }
  const [, id = "", scope = "", names = "", signature = ""] =
    /^TC3-HMAC-SHA256 Credential=([^/,]+)\/(\S+), ?SignedHeaders=(\S+), ?Signature=([0-9a-f]{64})$/.exec(
      header("authorization") ?? "",
    ) ?? [];
  if (id === "") return refuse("the Authorization header is malformed");
  const day = new Date(Number(seconds) * 1_000).toISOString().slice(0, 10);
  if (scope !== `${day}/${service}/tc3_request`) return refuse("the credential scope is wrong");
  const signed = names.split(";");
  if (!signed.includes("content-type") || !signed.includes("host")) {
    return refuse("content-type and host must be signed");
  }
  const lines = signed.map((name) => `${name}:${(header(name) ?? "").trim().toLowerCase()}`);
  const request = ["POST", "/", "", ...lines, "", names, sha256(body)].join("\n");
  const text = ["TC3-HMAC-SHA256", seconds, scope, sha256(request)].join("\n");
  const dated = hmac(`TC3${demoSecret}`, day);
  const wanted = hmac(hmac(hmac(dated, service), "tc3_request"), text).toString("hex");
  return wanted === signature ? { key: id } : refuse("the provided credentials do not match");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: BinaryLike, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function* hunyuanEvents(answer: Answer): Generator<AnswerPart> {
  const { calls, content, contentCount, finish, reasoningCount, usage } = answer;
  const open = `{${opening(answer)},"Choices":[{"Index":0,"Delta":{"Role":"assistant","Content":"`;
  const event = (words: string, more: string): AnswerPart => {
    const text = `${open}${words}"${more}},"FinishReason":""}]}`;
    return { kind: "piece", text, pieces: 1, contentAt: open.length };
  };
  for (let piece = 0; piece < reasoningCount; piece += 1) {
    yield event("", `,"ReasoningContent":"${reasoningPieces().jsonAt(piece)}"`);
  }
  for (let piece = 0; calls === null && piece < contentCount; piece += 1) {
    yield event(content.jsonAt(piece), "");
  }
  for (const call of calls ?? []) {
    yield event("", `,"ToolCalls":[${callJson(answer, call, call.text ?? "")}]`);
  }
  const counted = usage === null ? "" : `,"Usage":${usage}`;
  const last = section("done", `${open}"},"FinishReason":"${finish}"}]${counted}}`);
  yield usage === null ? last : { ...last, usage };
}

function* hunyuanBody(answer: Answer, grouped: boolean): Generator<AnswerPart> {
  const { calls, content, contentCount, finish, reasoningCount, usage } = answer;
  const open = `"Choices":[{"Index":0,"Message":{"Role":"assistant"`;
  yield section("start", `{"Response":{"RequestId":"${answer.id}",${opening(answer)},${open}`);
  if (reasoningCount > 0) {
    yield section("start", `,"ReasoningContent":"`);
    yield* pieceParts(reasoningPieces(), reasoningCount, grouped);
    yield section("finish", `"`);
  }
  yield section("start", `,"Content":"`);
  if (calls === null) yield* pieceParts(content, contentCount, grouped);
  yield section("finish", `"`);
  const whole = wholeCalls(answer);
  for (const [at, call] of whole.entries()) {
    const before = at === 0 ? `,"ToolCalls":[` : ",";
    const text = before + callJson(answer, call, call.tool.argumentsText);
    yield { kind: "piece", text: text + (at === whole.length - 1 ? "]" : ""), pieces: call.pieces };
  }
  yield section("finish", `},"FinishReason":"${finish}"}]`);
  if (usage !== null) yield { ...section("usage", `,"Usage":${usage}`), usage };
  yield section("done", "}}");
}

function opening({ id, created }: Answer): string {
  return `"Id":"${id}","Created":${created},"Note":"scripted"`;
}

/** A call or a piece of it: the id and the name are in each. */
function callJson({ id }: Answer, { tool, index }: CallPiece, given: string): string {
  const called = `{"Name":${JSON.stringify(tool.name)},"Arguments":"${escapeJson(given)}"}`;
  return `{"Id":"call_${id}${index}","Type":"function","Index":${index},"Function":${called}}`;
}

function usageOf({ promptTokens, completionTokens }: Counts): Json {
  return {
    PromptTokens: promptTokens,
    CompletionTokens: completionTokens,
    TotalTokens: promptTokens + completionTokens,
  };
}

const codes: Readonly<Record<number, string>> = {
  400: "InvalidParameter",
  401: "AuthFailure.SignatureFailure",
  403: "UnauthorizedOperation",
  404: "InvalidParameterValue.Model",
  429: "RequestLimitExceeded",
};

function failure(status: number, message: string): Json {
  const code = codes[status] ?? (status < 500 ? "InvalidParameter" : "InternalError");
  return { Response: { Error: { Code: code, Message: message }, RequestId: "scripted" } };
}

const fields = {
  Model: isWords,
  Messages: isList,
  Stream: isFlag,
  StreamModeration: isFlag,
  TopP: within(0, 1),
  Temperature: within(0, 2),
  EnableEnhancement: isFlag,
  Tools: isList,
  ToolChoice: oneOf("none", "auto", "custom"),
  CustomTool: (value: Json) => isObject(value),
  Stop: isList,
  Seed: within(1, 10_000),
  EnableThinking: isFlag,
};
const messageFields = {
  Role: oneOf("system", "user", "assistant", "tool"),
  Content: isText,
  Contents: isList,
  ReasoningContent: isText,
  ToolCallId: isWords,
  ToolCalls: isList,
};

/** The system speaks first; then users or tools, and the model, take turns. */
function wrongOrder(messages: readonly JsonObject[]): string | undefined {
  const spoken = messages[0]?.["Role"] === "system" ? messages.slice(1) : messages;
  let before: Json = "assistant";
  for (const { Content: content, Contents: parts, Role: role, ToolCalls: calls } of spoken) {
    const isTurn = role === "assistant" ? before !== "assistant" : before === "assistant";
    if (!isTurn && !(role === "tool" && before === "tool")) {
      return "the roles must alternate, and a system message must be the first";
    }
    if (content === "" && parts === undefined && calls === undefined) {
      return "Content must not be empty";
    }
    before = role ?? null;
  }
  return before === "assistant" ? "the last message must be a user's or a tool's" : undefined;
}

function readBody(body: JsonObject): JsonObject | string {
  const messages = objectsOf(body["Messages"]);
  const wrong =
    wrongField(body, fields, ["Model", "Messages"]) ??
    messages
      .map((message) => wrongField(message, messageFields, ["Role"]))
      .find((found) => found !== undefined) ??
    wrongOrder(messages);
  if (wrong !== undefined) return wrong;
  const tools = objectsOf(body["Tools"]).map(readTool);
  if (tools.includes(null)) return "a tool must be a function with the text of a schema";
  const custom = isObject(body["CustomTool"]) ? body["CustomTool"]["Function"] : undefined;
  const named = isObject(custom) ? { name: custom["Name"] ?? "" } : null;
  return {
    model: body["Model"] ?? "",
    stream: body["Stream"] ?? false,
    tools,
    tool_choice: named ?? body["ToolChoice"] ?? "auto",
    messages: messages.map(({ Role = "", Content = "", Contents }) => ({
      role: Role,
      content: isArray(Contents) ? objectsOf(Contents).map(readPart) : Content,
    })),
  };
}

/** Reads a tool, whose schema is a text. Null: it is none. */
function readTool({ Type: type, Function: called }: JsonObject): JsonObject | null {
  if (type !== "function" || !isObject(called)) return null;
  const { Name: name, Parameters: schema } = called;
  const parameters = typeof schema === "string" ? parseObject(schema) : undefined;
  return typeof name === "string" && parameters !== undefined ? { name, parameters } : null;
}

function readPart({ Text = "", Type = "" }: JsonObject): JsonObject {
  return { type: Type, text: Text };
}

export const tencentHunyuan: Provider = {
  framing: "events",
  chunk: null,
  reasons: true,
  refusalStatus: 200,
  events: hunyuanEvents,
  body: hunyuanBody,
  usage: (_, counts) => usageOf(counts),
  errorBody: (status, { message }) => failure(status, message),
  errorEvent: (error) => ({ body: { ErrorMsg: { Msg: errorWords(error), Code: 5_000 } } }),
  admit,
  read: readBody,
};
