/**
 * Answers of the Responses API, streamed and whole.
 * Source: https://platform.openai.com/docs/api-reference/responses and responses-streaming.
 */

import type { Answer, AnswerPart, CallPiece, Counts } from "@tollgate/demo/answer.ts";
import { isObject, type Json } from "@tollgate/demo/json.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import type { Api } from "./api.ts";
import { pieceParts, section } from "./body-parts.ts";
import { callId } from "./chat-parts.ts";
import { openAiError } from "./errors.ts";
import { escapeJson, reasoningPieces, scriptedSignature } from "./pieces.ts";

/** Yields the events of a streamed response, one part each; `text` is the JSON after `data:`. */
function* responsesEvents(answer: Answer): Generator<AnswerPart> {
  const { usage } = answer;
  const numbered = openNumbers();
  const begun = `${opening(answer)},"status":"in_progress","output":[],"usage":null}`;
  yield numbered("start", "response.created", `"response":${begun}`);
  yield numbered("start", "response.in_progress", `"response":${begun}`);
  const items: string[] = [];
  for (const item of itemsOf(answer)) {
    const at = `"output_index":${items.length}`;
    const within = `"item_id":"${item.id}",${at}`;
    yield numbered("start", "response.output_item.added", `${at},"item":${item.begun}`);
    if (item.part !== "") {
      const { part, slot } = item;
      yield numbered("start", `${part}.added`, `${within},${slot},"part":${item.emptyPart}`);
    }
    const slot = item.slot === "" ? "" : `,${item.slot}`;
    const isLate = item.isCall && answer.script.lateArguments === true;
    for (let piece = 0; !isLate && piece < item.count; piece += 1) {
      const delta = `${within}${slot},"delta":"`;
      const event = numbered("piece", `${item.delta}.delta`, `${delta}${item.jsonAt(piece)}"`);
      const contentAt = event.text.indexOf(`"delta":"`) + `"delta":"`.length;
      yield { ...event, pieces: 1, contentAt };
    }
    const value = `"${item.field}":"${item.whole()}"`;
    const end = numbered(
      isLate ? "piece" : "start",
      `${item.delta}.done`,
      `${within}${slot},${value}`,
    );
    yield isLate ? { ...end, pieces: item.count } : end;
    if (item.part !== "") {
      const { part } = item;
      yield numbered("start", `${part}.done`, `${within}${slot},"part":${item.wholePart()}`);
    }
    const done = item.done();
    items.push(done);
    yield numbered("start", "response.output_item.done", `${at},"item":${done}`);
  }
  const name = answer.finish === "length" ? "response.incomplete" : "response.completed";
  const end = numbered("done", name, `"response":${completed(answer, items.join(","))}`);
  yield usage === null ? end : { ...end, usage };
}

/** Yields the sections of the JSON body of a response that is not streamed. */
function* responsesBody(answer: Answer, grouped: boolean): Generator<AnswerPart> {
  const { reasoningCount, contentCount, content, calls, usage } = answer;
  const [before = "", after = ""] = completed(answer, "\n").split("\n");
  yield section("start", before);
  if (reasoningCount > 0) {
    const { id } = answer;
    yield section("start", `{"id":"rs_${id}","type":"reasoning","summary":[{"type":"summary_text"`);
    yield section("start", `,"text":"`);
    yield* pieceParts(reasoningPieces(), reasoningCount, grouped);
    const comma = contentCount > 0 ? "," : "";
    yield section("finish", `"}],"encrypted_content":"${scriptedSignature}"}${comma}`);
  }
  if (calls === null && contentCount > 0) {
    const message = messageItem(answer, content, contentCount);
    const [open = "", close = ""] = message.frame;
    yield section("start", open);
    yield* pieceParts(content, contentCount, grouped);
    yield section("finish", close);
  }
  for (const item of callItems(answer)) {
    const comma = item.isFirst ? "" : ",";
    yield { kind: "piece", text: comma + item.done(), pieces: item.count };
  }
  const end = section("finish", after);
  yield usage === null ? end : { ...end, usage };
}

/** One item of the output, and how its parts are called in events. */
type Item = {
  readonly id: string;
  readonly begun: string;
  /** Whether it is a call of a function. */
  readonly isCall: boolean;
  /** The events that open and close a part of the item; empty: it has no parts. */
  readonly part: string;
  readonly emptyPart: string;
  readonly wholePart: () => string;
  /** The member with the number of the part; empty: it has none. */
  readonly slot: string;
  readonly delta: string;
  /** The member of the event `done` with the whole text. */
  readonly field: string;
  readonly count: number;
  readonly jsonAt: (piece: number) => string;
  /** Returns the whole text, escaped for a JSON string. */
  readonly whole: () => string;
  /** Returns the complete item. */
  readonly done: () => string;
};

function* itemsOf(answer: Answer): Generator<Item> {
  const { reasoningCount, contentCount, content, calls } = answer;
  if (reasoningCount > 0) yield reasoningItem(answer);
  if (calls === null && contentCount > 0) yield messageItem(answer, content, contentCount);
  yield* callItems(answer);
}

function reasoningItem({ id, reasoningCount }: Answer): Item {
  const open = `{"id":"rs_${id}","type":"reasoning","summary":[`;
  const whole = (): string => reasoningPieces().joined(reasoningCount);
  const wholePart = (): string => `{"type":"summary_text","text":"${whole()}"}`;
  return {
    id: `rs_${id}`,
    begun: `${open}]}`,
    isCall: false,
    part: "response.reasoning_summary_part",
    emptyPart: `{"type":"summary_text","text":""}`,
    wholePart,
    slot: `"summary_index":0`,
    delta: "response.reasoning_summary_text",
    field: "text",
    count: reasoningCount,
    jsonAt: reasoningPieces().jsonAt,
    whole,
    done: () => `${open}${wholePart()}],"encrypted_content":"${scriptedSignature}"}`,
  };
}

function messageItem(
  { id, finish }: Answer,
  content: Answer["content"],
  count: number,
): Item & { readonly frame: readonly string[] } {
  const open = (status: string): string =>
    `{"id":"msg_${id}","type":"message","status":"${status}","role":"assistant","content":[`;
  const status = finish === "length" ? "incomplete" : "completed";
  const whole = (): string => content.joined(count);
  const partOpen = `{"type":"output_text","annotations":[],"logprobs":[],"text":"`;
  const wholePart = (): string => `${partOpen}${whole()}"}`;
  return {
    id: `msg_${id}`,
    begun: `${open("in_progress")}]}`,
    isCall: false,
    part: "response.content_part",
    emptyPart: `${partOpen}"}`,
    wholePart,
    slot: `"content_index":0`,
    delta: "response.output_text",
    field: "text",
    count,
    jsonAt: content.jsonAt,
    whole,
    done: () => `${open(status)}${wholePart()}]}`,
    frame: [`${open(status)}${partOpen}`, `"}]}`],
  };
}

function* callItems(answer: Answer): Generator<Item & { readonly isFirst: boolean }> {
  const { calls, id } = answer;
  for (const first of calls ?? []) {
    if (first.text !== null) continue;
    const own = (calls ?? []).filter(({ index }) => index === first.index);
    const text = own.map((piece) => piece.text ?? "").join("");
    const item = (status: string, given: string): string => callItem(id, first, status, given);
    const isWhole = own.at(-1)?.isLast === true;
    yield {
      isFirst: first.index === 0,
      id: `fc_${id}${first.index}`,
      begun: item("in_progress", ""),
      isCall: true,
      part: "",
      emptyPart: "",
      wholePart: () => "",
      slot: "",
      delta: "response.function_call_arguments",
      field: "arguments",
      count: own.length,
      jsonAt: (piece) => escapeJson(own[piece]?.text ?? ""),
      whole: () => escapeJson(text),
      done: () => item(isWhole ? "completed" : "incomplete", escapeJson(text)),
    };
  }
}

function callItem(id: string, { tool, index }: CallPiece, status: string, args: string): string {
  const name = JSON.stringify(tool.name);
  const open = `{"id":"fc_${id}${index}","type":"function_call","status":"${status}"`;
  return `${open},"call_id":"${callId(id, index)}","name":${name},"arguments":"${args}"}`;
}

/** Returns a function that numbers events as they are made. */
function openNumbers(): (kind: AnswerPart["kind"], event: string, members: string) => AnswerPart {
  let last = -1;
  return (kind, event, members) => {
    last += 1;
    const text = `{"type":"${event}","sequence_number":${last},${members}}`;
    return { kind, event, text, pieces: 0 };
  };
}

function completed(answer: Answer, output: string): string {
  const { finish, usage } = answer;
  const isCut = finish === "length";
  const details = isCut ? `{"reason":"max_output_tokens"}` : "null";
  const status = `"status":"${isCut ? "incomplete" : "completed"}","incomplete_details":${details}`;
  return `${opening(answer)},${status},"output":[${output}],"usage":${usage ?? "null"}}`;
}

function opening({ id, created, call }: Answer): string {
  const model = JSON.stringify(call.model);
  const fixed = `"error":null,"instructions":null,"metadata":{},"tools":[],"tool_choice":"auto"`;
  const object = `"object":"response","created_at":${created},"model":${model},${fixed}`;
  return `{"id":"resp_${id}",${object},"parallel_tool_calls":true,"temperature":1,"top_p":1`;
}

/** @see https://platform.openai.com/docs/api-reference/responses/object (`usage`). */
function responsesUsage(script: DemoScript, counts: Counts): Json {
  const { promptTokens, completionTokens, reasoningTokens } = counts;
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: script.cachedTokens ?? 0 },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  };
}

export const responses: Api = {
  conversation: "input",
  framing: "events",
  chunk: null,
  reasons: true,
  events: responsesEvents,
  body: responsesBody,
  usage: responsesUsage,
  errorBody: (_, error) => openAiError(error),
  errorEvent: (error) => ({
    event: "error",
    body: { type: "error", ...(isObject(error) ? error : { message: JSON.stringify(error) }) },
  }),
};
