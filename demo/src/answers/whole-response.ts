/**
 * A fast path for most calls: an answer that is small, immediate and not broken is created as one
 * text and sent in one write. The bytes are the same as those of answers made step by step; a test
 * compares them.
 */

import { type Answer, type AnswerPart, planAnswer } from "@tollgate/demo/answer.ts";
import type { Api } from "./api.ts";
import { isShort, type Order, streamType } from "./response.ts";
import { type DemoScript, isOrdinary } from "@tollgate/demo/script.ts";
import { jsonMessage, serverName } from "@tollgate/demo/send.ts";
import { withDone } from "@tollgate/demo/steps.ts";

/** A whole answer, head and body. */
export type WholeResponse = {
  readonly status: number;
  readonly text: string;
  readonly promptTokens: number;
  readonly pieces: number;
  /** The usage object as text; null: the answer has none. */
  readonly usage: string | null;
};

export function wholeResponse(order: Order): WholeResponse | undefined {
  const { call, script } = order;
  const delayed = (script.headDelayMs ?? 0) + (script.eventDelayMs ?? 0) > 0;
  // The text of streams is cached by script, and JSON is another text with each schema.
  if (delayed || !isOrdinary(script) || (call.stream && call.json !== null)) return undefined;
  const { api } = call;
  // Streams of the other APIs are made step by step.
  if (call.stream && (!order.http11 || api.chunk === null)) return undefined;
  const answer = planAnswer(call, script, { ...order, api });
  if (!isShort(answer)) return undefined;
  const { promptTokens } = answer;
  const pieces = call.embedding === null ? pieceCountOf(answer) : 0;
  if (call.stream) {
    const usage = call.includeUsage ? answer.usage : null;
    return { status: 200, text: streamText(answer, api), promptTokens, pieces, usage };
  }
  let body = "";
  for (const part of api.body(answer, true)) body += part.text;
  const text = jsonMessage(200, body, order.id);
  return { status: 200, text, promptTokens, pieces, usage: answer.usage };
}

function pieceCountOf({ call, reasoningCount, contentCount }: Answer): number {
  return (reasoningCount + contentCount) * call.choiceCount;
}

/**
 * Returns the whole text of a streamed answer: the head, one chunk per event, the end of the body.
 */
function streamText(answer: Answer, api: Api): string {
  const head =
    `HTTP/1.1 200 OK\r\ncontent-type: ${streamType}\r\nserver: ${serverName}\r\n` +
    `x-request-id: req_${answer.id}\r\ncache-control: no-cache\r\n` +
    "transfer-encoding: chunked\r\n\r\n";
  let end = "";
  const parts = answer.calls === null ? usageParts(answer, api) : api.events(answer);
  for (const part of withDone(answer.script, parts, true)) end += chunkedEvent(part);
  const events = answer.calls === null ? contentText(answer, api) : "";
  return `${head}${events}${end}0\r\n\r\n`;
}

/**
 * Returns one event as one chunk, with the same bytes as `eventFrame` and `framedBody` produce for
 * an empty script.
 */
function chunkedEvent({ text }: AnswerPart): string {
  const length = Buffer.byteLength(text) + "data: \n\n".length;
  return `${length.toString(16)}\r\ndata: ${text}\n\n\r\n`;
}

function* usageParts(answer: Answer, { events }: Api): Generator<AnswerPart> {
  for (const part of events({ ...answer, ...noContent })) {
    if (part.kind === "usage") yield part;
  }
}

const noContent = { reasoningCount: 0, contentCount: 0 };

/**
 * How many texts are cached for a script: one for each combination of length, model and number of
 * choices. When there are more, all are dropped.
 */
const textsKeptMax = 8;
const keptLengthMax = 64 * 1024;
const kept = new WeakMap<DemoScript, Map<string, readonly string[]>>();

/**
 * Returns the text of all events before usage. Calls with the same script differ only in id and
 * time, whose lengths are constant, so the text is cached, split where id and time belong.
 */
function contentText(answer: Answer, { events }: Api): string {
  const { call, script, finish } = answer;
  const texts = kept.get(script) ?? new Map<string, readonly string[]>();
  kept.set(script, texts);
  const shape = `${call.api.chunk} ${call.choiceCount} ${call.includeUsage} ${answer.reasoningCount}`;
  const key = `${shape} ${answer.contentCount} ${finish} ${answer.id.length} ${call.model}`;
  const stamp = stampOf(answer);
  const known = texts.get(key);
  if (known !== undefined) return known.join(stamp);
  if (texts.size >= textsKeptMax) texts.clear();
  let text = "";
  for (const part of events(answer)) {
    if (part.kind !== "usage") text += chunkedEvent(part);
  }
  if (text.length <= keptLengthMax) texts.set(key, text.split(stamp));
  return text;
}

/**
 * Returns the id and time of an answer as each event writes them; `contentText` puts them between
 * the parts of the cached text.
 */
function stampOf({ id, created, call }: Answer): string {
  return `${id}","object":"${call.api.chunk}","created":${created}`;
}
