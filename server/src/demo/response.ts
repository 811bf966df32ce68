/** From a script and a call to the steps that answer it: which body, which head, in which frame. */

import type { Json } from "#base/json.ts";
import { type Answer, type AnswerPart, planAnswer } from "./answer.ts";
import { bombBytesDefault, bombSteps } from "./bomb.ts";
import type { DemoCall } from "./call.ts";
import { chatBody, chatEvents } from "./chat-parts.ts";
import { completionBody, completionEvents } from "./completion-parts.ts";
import { embeddingBody } from "./embedding-parts.ts";
import { errorText, scriptedFailure } from "./errors.ts";
import {
  type Ending,
  endingOf,
  framedBody,
  type HeaderLines,
  headSteps,
  headText,
} from "./framing.ts";
import { type DemoScript, isOrdinary } from "./script.ts";
import { jsonMessage, serverName } from "./send.ts";
import { noFrame, partSteps, type Step, streamSteps } from "./steps.ts";

/** Longer bodies are made while they are written, and sent in chunks. */
const wholeLengthMax = 1024 * 1024;
const jsonType = "application/json";
const streamType = "text/event-stream; charset=utf-8";

export type Order = {
  readonly call: DemoCall;
  readonly script: DemoScript;
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly key: string;
  /** Whether the client speaks HTTP/1.1. */
  readonly http11: boolean;
};

export type SteppedResponse = {
  readonly promptTokens: number;
  readonly steps: Iterable<Step>;
  /** The end of the body is the end of the connection. */
  readonly closes: boolean;
};

/** A whole answer, head and body, that goes out in one write. */
export type WholeResponse = {
  readonly status: number;
  readonly text: string;
  readonly promptTokens: number;
  readonly pieces: number;
  /** Undefined: it has none. */
  readonly usage: Json | undefined;
};

/** The short way for what most calls are: not streamed, not large, not delayed, not broken. */
export function wholeResponse(order: Order): WholeResponse | undefined {
  const { call, script } = order;
  const delayed = (script.headDelayMs ?? 0) + (script.eventDelayMs ?? 0) > 0;
  if (call.stream || delayed || !isOrdinary(script)) return undefined;
  const answer = planAnswer(call, script, order);
  if (!isShort(answer)) return undefined;
  let body = "";
  let pieces = 0;
  let usage: Json | undefined;
  for (const part of bodyParts(answer, true)) {
    body += part.text;
    pieces += part.pieces;
    if (part.usage !== undefined) usage = part.usage;
  }
  const { promptTokens } = answer;
  return { status: 200, text: jsonMessage(200, body, order.id), promptTokens, pieces, usage };
}

/** Any answer, as steps. */
export async function stepsOf(order: Order): Promise<SteppedResponse> {
  const { script, call } = order;
  const answer = planAnswer(call, script, order);
  const content = await contentOf(order, answer);
  const ending = endingOf(script, {
    status: content.status,
    bodyBytes: content.bodyBytes,
    chunksUnderstood: order.http11,
  });
  return {
    promptTokens: answer.promptTokens,
    steps: responseSteps(order, content, ending),
    closes: ending.kind === "close",
  };
}

type Content = {
  readonly status: number;
  readonly type: string;
  readonly headers: HeaderLines;
  /** Null: not known before it is written. */
  readonly bodyBytes: number | null;
  readonly steps: Iterable<Step>;
  /** Wait before the head. */
  readonly headDelayMs: number;
};

function* responseSteps(order: Order, content: Content, ending: Ending): Generator<Step> {
  const { script } = order;
  if (content.headDelayMs > 0) yield { kind: "wait", ms: content.headDelayMs };
  if (script.cut?.after === "connect") yield { kind: "cut", how: script.cut.how };
  const head = headText(content.status, ending, {
    ours: {
      "content-type": content.type,
      server: serverName,
      "x-request-id": `req_${order.id}`,
      ...content.headers,
    },
    scripted: {
      ...(script.retryAfter === undefined ? {} : { "retry-after": script.retryAfter }),
      ...(script.redirect === undefined ? {} : { location: script.redirect }),
      ...script.headers,
    },
  });
  yield* headSteps(script, content.status, head);
  if (script.cut?.after === "headers") yield { kind: "cut", how: script.cut.how };
  yield* framedBody(script, ending, content.steps);
}

async function contentOf(order: Order, answer: Answer): Promise<Content> {
  const { script, call } = order;
  const status = script.status ?? (script.redirect === undefined ? 200 : 307);
  const common = { status, headers: {}, headDelayMs: script.headDelayMs ?? 0 };
  if (script.encoding !== undefined) {
    const encoding = script.encoding === "gzip-bomb" ? "gzip" : "br";
    return {
      ...common,
      type: script.contentType ?? (call.stream ? streamType : jsonType),
      headers: { "content-encoding": encoding },
      bodyBytes: null,
      steps: await bombSteps(encoding, script.bombBytes ?? bombBytesDefault),
    };
  }
  const raw = rawBody(order, status);
  if (raw !== undefined) {
    const part: AnswerPart = { kind: "piece", text: raw, pieces: 0 };
    return {
      ...common,
      type: script.contentType ?? jsonType,
      bodyBytes: Buffer.byteLength(raw),
      steps: partSteps(script, [part], { frame: noFrame, pieceCount: 1, delayMs: 0 }),
    };
  }
  return call.stream ? streamContent(answer, common) : bodyContent(answer, common);
}

/** The text that stands in place of an answer, if one does. */
function rawBody({ script, call, key }: Order, status: number): string | undefined {
  if (script.body !== undefined) return script.body;
  if (status >= 300) return errorText(scriptedFailure(status, key));
  if (script.errorEvent !== undefined && !call.stream) {
    return JSON.stringify({ error: script.errorEvent.error });
  }
  return undefined;
}

type Common = Pick<Content, "status" | "headers" | "headDelayMs">;

function streamContent(answer: Answer, common: Common): Content {
  const { script, call } = answer;
  const events = call.route === "completions" ? completionEvents(answer) : chatEvents(answer);
  return {
    ...common,
    headers: { "cache-control": "no-cache" },
    type: script.contentType ?? streamType,
    bodyBytes: null,
    steps: streamSteps(script, events, piecePartsOf(answer)),
  };
}

/** The client waits for all pieces first, as if they were thought of one by one. */
function bodyContent(answer: Answer, common: Common): Content {
  const { script } = answer;
  const type = script.contentType ?? jsonType;
  const pieceCount = piecePartsOf(answer);
  const eventDelayMs = script.eventDelayMs ?? 0;
  if (!isShort(answer)) {
    const delayMs = answer.contentCount === Number.POSITIVE_INFINITY ? eventDelayMs : 0;
    const parts = bodyParts(answer, false);
    const steps = partSteps(script, parts, { frame: noFrame, pieceCount, delayMs });
    return { ...common, type, bodyBytes: null, steps };
  }
  const parts = [...bodyParts(answer, false)];
  return {
    ...common,
    type,
    headDelayMs: common.headDelayMs + eventDelayMs * pieceCount,
    bodyBytes: parts.reduce((sum, part) => sum + Buffer.byteLength(part.text), 0),
    steps: partSteps(script, parts, { frame: noFrame, pieceCount, delayMs: 0 }),
  };
}

function bodyParts(answer: Answer, grouped: boolean): Iterable<AnswerPart> {
  switch (answer.call.route) {
    case "chat":
      return chatBody(answer, grouped);
    case "completions":
      return completionBody(answer, grouped);
    case "embeddings":
      return embeddingBody(answer);
  }
}

/** How many parts of kind `piece` the answer has. */
function piecePartsOf({ call, reasoningCount, contentCount }: Answer): number {
  if (call.embedding !== null) return call.embedding.inputs.length;
  return (reasoningCount + contentCount) * call.choiceCount;
}

function isShort({ call, content, reasoningCount, contentCount }: Answer): boolean {
  if (call.embedding !== null) return true;
  const length = (reasoningCount + contentCount) * call.choiceCount * content.lengthMax;
  return length <= wholeLengthMax;
}
