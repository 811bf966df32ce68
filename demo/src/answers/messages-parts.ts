/**
 * Answers of the Messages API, streamed and whole.
 * Source: https://docs.anthropic.com/en/api/messages and messages-streaming.
 */

import type { Answer, AnswerPart, CallPiece, Counts } from "@tollgate/demo/answer.ts";
import type { Json } from "@tollgate/demo/json.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import type { Api } from "./api.ts";
import { bodyEnd, pieceParts, section } from "./body-parts.ts";
import { escapeJson, reasoningPieces, scriptedSignature } from "./pieces.ts";

/** Yields the events of a streamed message, one part each; `text` is the JSON after `data:`. */
function* messagesEvents(answer: Answer): Generator<AnswerPart> {
  const { promptTokens, script, usage } = answer;
  const begun = JSON.stringify({
    input_tokens: promptTokens - (script.cachedTokens ?? 0) - (script.cacheWriteTokens ?? 0),
    cache_creation_input_tokens: script.cacheWriteTokens ?? 0,
    cache_read_input_tokens: script.cachedTokens ?? 0,
    output_tokens: 1,
  });
  const message = `${opening(answer)}],"stop_reason":null,"stop_sequence":null`;
  const given = usage === null ? "}" : `,"usage":${begun}}`;
  yield part("start", "message_start", `"message":${message}${given}`);
  let block = 0;
  for (const each of blocks(answer)) {
    const at = `"index":${block}`;
    yield part("start", "content_block_start", `${at},"content_block":${each.begin}`);
    for (let piece = 0; piece < each.count; piece += 1) {
      const delta = `${at},"delta":{"type":"${each.type}","${each.field}":"`;
      const text = `{"type":"content_block_delta",${delta}`;
      yield {
        kind: "piece",
        event: "content_block_delta",
        text: `${text}${each.jsonAt(piece)}"}}`,
        pieces: 1,
        contentAt: text.length,
      };
    }
    if (each.signature !== "") {
      const delta = `"delta":{"type":"signature_delta","signature":"${each.signature}"}`;
      yield part("start", "content_block_delta", `${at},${delta}`);
    }
    yield part("start", "content_block_stop", at);
    block += 1;
  }
  const stop = `"delta":{"stop_reason":"${stopReason(answer)}","stop_sequence":null}`;
  if (usage === null) yield part("finish", "message_delta", stop);
  else {
    const end = { ...part("usage", "message_delta", `${stop},"usage":${usage}`), usage };
    yield end;
    if (script.usageTwice === true) yield { ...end, usage: "" };
  }
  yield { kind: "done", event: "message_stop", text: `{"type":"message_stop"}`, pieces: 0 };
}

/** Yields the sections of the JSON body of a message that is not streamed. */
function* messagesBody(answer: Answer, grouped: boolean): Generator<AnswerPart> {
  const { reasoningCount, contentCount, content, calls } = answer;
  yield section("start", opening(answer));
  if (reasoningCount > 0) {
    yield section("start", `{"type":"thinking","thinking":"`);
    yield* pieceParts(reasoningPieces(), reasoningCount, grouped);
    const comma = contentCount > 0 ? "," : "";
    yield section("finish", `","signature":"${scriptedSignature}"}${comma}`);
  }
  if (calls === null && contentCount > 0) {
    yield section("start", `{"type":"text","text":"`);
    yield* pieceParts(content, contentCount, grouped);
    yield section("finish", `"}`);
  }
  const whole = (calls ?? []).filter(({ text, isLast }) => text === null || isLast);
  for (const call of whole) {
    if (call.text === null) continue;
    const comma = call.index > 0 ? "," : "";
    const open = `${comma}${toolUse(answer, call).slice(0, -"{}}".length)}`;
    const pieces = (calls ?? []).filter(({ index }) => index === call.index).length;
    yield { kind: "piece", text: `${open}${call.tool.argumentsText}}`, pieces };
  }
  yield section("finish", `],"stop_reason":"${stopReason(answer)}","stop_sequence":null`);
  yield* bodyEnd(answer);
}

/** One block of the content: how it begins, and its deltas. */
type Block = {
  readonly begin: string;
  readonly type: string;
  readonly field: string;
  readonly count: number;
  readonly jsonAt: (piece: number) => string;
  readonly signature: string;
};

function* blocks(answer: Answer): Generator<Block> {
  const { reasoningCount, contentCount, content, calls } = answer;
  if (reasoningCount > 0) {
    yield {
      begin: `{"type":"thinking","thinking":"","signature":""}`,
      type: "thinking_delta",
      field: "thinking",
      count: reasoningCount,
      jsonAt: reasoningPieces().jsonAt,
      signature: scriptedSignature,
    };
  }
  if (calls === null && contentCount > 0) {
    yield {
      begin: `{"type":"text","text":""}`,
      type: "text_delta",
      field: "text",
      count: contentCount,
      jsonAt: content.jsonAt,
      signature: "",
    };
  }
  for (const first of calls ?? []) {
    if (first.text !== null) continue;
    const own = (calls ?? []).filter(({ index }) => index === first.index);
    yield {
      begin: toolUse(answer, first),
      type: "input_json_delta",
      field: "partial_json",
      count: own.length,
      jsonAt: (piece) => escapeJson(own[piece]?.text ?? ""),
      signature: "",
    };
  }
}

function toolUse({ id }: Answer, { tool, index }: CallPiece): string {
  const name = JSON.stringify(tool.name);
  return `{"type":"tool_use","id":"toolu_${id}${index}","name":${name},"input":{}}`;
}

function opening({ id, call }: Answer): string {
  const model = JSON.stringify(call.model);
  return `{"id":"msg_${id}","type":"message","role":"assistant","model":${model},"content":[`;
}

function stopReason({ finish }: Answer): string {
  if (finish === "length") return "max_tokens";
  return finish === "stop" ? "end_turn" : "tool_use";
}

function part(kind: AnswerPart["kind"], event: string, members: string): AnswerPart {
  return { kind, event, text: `{"type":"${event}",${members}}`, pieces: 0 };
}

/** @see https://docs.anthropic.com/en/api/messages (`input_tokens` are the uncached ones). */
function messagesUsage(script: DemoScript, counts: Counts): Json {
  const { cachedTokens = 0, cacheWriteTokens = 0 } = script;
  return {
    input_tokens: counts.promptTokens - cachedTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
    output_tokens: counts.completionTokens,
  };
}

/** @see https://docs.anthropic.com/en/api/errors. */
const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

export const messages: Api = {
  framing: "events",
  chunk: null,
  reasons: true,
  events: messagesEvents,
  body: messagesBody,
  usage: messagesUsage,
  errorBody: (status, { message }) => ({
    type: "error",
    error: { type: errorTypes[status] ?? "api_error", message },
  }),
  errorEvent: (error) => ({ event: "error", body: { type: "error", error } }),
};
