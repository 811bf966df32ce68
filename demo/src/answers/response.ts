/**
 * Turns a script and a call into the steps of an answer: body, head and framing. Lazy: the answer
 * is made while it is written.
 */

import { type Answer, type AnswerPart, planAnswer } from "@tollgate/demo/answer.ts";
import { bombBytesDefault, bombSteps } from "./bomb.ts";
import type { DemoCall } from "@tollgate/demo/call.ts";
import { type Framing, errorBodyText, errorEventPart, httpStatus, messageOf } from "./api.ts";
import { scriptedFailure } from "./errors.ts";
import {
  type Ending,
  endingOf,
  framedBody,
  type HeaderLines,
  headSteps,
  headText,
} from "./framing.ts";
import { type DemoScript } from "@tollgate/demo/script.ts";
import { serverName } from "@tollgate/demo/send.ts";
import { bytes, noFrame, partSteps, type Step, streamSteps } from "@tollgate/demo/steps.ts";

/**
 * The largest estimated length of a body that is made as one text. A longer body is created while
 * it is written, so it is sent in chunks.
 */
const wholeLengthMax = 1024 * 1024;
/** Rough length of an event without its content, to estimate the length of a stream. */
const eventLength = 350;
const jsonType = "application/json";
export const streamType = "text/event-stream; charset=utf-8";
const streamTypeOf = (framing: Framing): string =>
  framing === "events" ? streamType : framing.contentType;

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
  /** Whether the body ends where the connection is closed. */
  readonly closes: boolean;
};

/** Returns the steps of the answer that any script describes. */
export async function stepsOf(order: Order): Promise<SteppedResponse> {
  const { script, call } = order;
  const answer = planAnswer(call, script, { ...order, api: call.api });
  const message = messageOf(call.api);
  if (message !== undefined) {
    const { promptTokens } = answer;
    return { promptTokens, steps: messageSteps(order, answer, message), closes: true };
  }
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
  /** The body's length; null: unknown until the body has been written. */
  readonly bodyBytes: number | null;
  readonly steps: Iterable<Step>;
  /** Delay before the head. */
  readonly headDelayMs: number;
};

/** Yields the messages of an answer over a WebSocket, which is open already. */
function* messageSteps(
  { call, key, script }: Order,
  answer: Answer,
  message: (text: string) => Uint8Array,
): Generator<Step> {
  if (script.hold === "head") yield { kind: "hold" };
  if (script.headDelayMs !== undefined) yield { kind: "wait", ms: script.headDelayMs };
  const isEarly = script.cut?.after === "connect" || script.cut?.after === "headers";
  if (script.cut !== undefined && isEarly) yield { kind: "cut", how: script.cut.how };
  const status = script.status ?? 200;
  yield { kind: "bytes", bytes: "", status };
  if (status >= 300) {
    yield bytes(message(errorBodyText(call.api, status, scriptedFailure(status, key))));
    return;
  }
  yield* streamContent(answer, { status, headers: {}, headDelayMs: 0 }).steps;
}

function* responseSteps(order: Order, content: Content, ending: Ending): Generator<Step> {
  const { script } = order;
  if (script.hold === "head") yield { kind: "hold" };
  if (content.headDelayMs > 0) yield { kind: "wait", ms: content.headDelayMs };
  if (script.cut?.after === "connect") yield { kind: "cut", how: script.cut.how };
  const head = headText(httpStatus(order.call.api, content.status), ending, {
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
      type: script.contentType ?? (call.stream ? streamTypeOf(call.api.framing) : jsonType),
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

/** Returns the raw text that the script sends in place of the answer, if there is one. */
function rawBody({ script, call, key }: Order, status: number): string | undefined {
  if (script.body !== undefined) return script.body;
  if (status >= 300) return errorBodyText(call.api, status, scriptedFailure(status, key));
  if (script.errorEvent !== undefined && !call.stream) {
    return errorEventPart(call.api, script.errorEvent.error).text;
  }
  return undefined;
}

type Common = Pick<Content, "status" | "headers" | "headDelayMs">;

function streamContent(answer: Answer, common: Common): Content {
  const { script } = answer;
  const { events, framing, chunk } = answer.call.api;
  return {
    ...common,
    headers: { "cache-control": "no-cache" },
    type: script.contentType ?? streamTypeOf(framing),
    bodyBytes: null,
    steps: streamSteps(script, events(answer), {
      pieceCount: piecePartsOf(answer),
      framing,
      writesDone: chunk !== null,
      errorPart: (error) => errorEventPart(answer.call.api, error),
    }),
  };
}

/**
 * Returns the content of a body that is not streamed. The delays of its pieces all come first, as
 * if the pieces were generated one by one before the answer.
 */
function bodyContent(answer: Answer, common: Common): Content {
  const { script } = answer;
  const type = script.contentType ?? jsonType;
  const pieceCount = piecePartsOf(answer);
  const eventDelayMs = script.eventDelayMs ?? 0;
  if (!isShort(answer)) {
    const delayMs = answer.contentCount === Number.POSITIVE_INFINITY ? eventDelayMs : 0;
    const parts = answer.call.api.body(answer, false);
    const steps = partSteps(script, parts, { frame: noFrame, pieceCount, delayMs });
    return { ...common, type, bodyBytes: null, steps };
  }
  const parts = [...answer.call.api.body(answer, false)];
  return {
    ...common,
    type,
    headDelayMs: common.headDelayMs + eventDelayMs * pieceCount,
    bodyBytes: parts.reduce((sum, part) => sum + Buffer.byteLength(part.text), 0),
    steps: partSteps(script, parts, { frame: noFrame, pieceCount, delayMs: 0 }),
  };
}

/** Returns how many parts of kind `piece` the answer has. */
function piecePartsOf({ call, reasoningCount, contentCount }: Answer): number {
  if (call.embedding !== null) return call.embedding.inputs.length;
  return (reasoningCount + contentCount) * call.choiceCount;
}

export function isShort({ call, content, reasoningCount, contentCount }: Answer): boolean {
  if (call.embedding !== null) return true;
  const pieceLength = content.lengthMax + (call.stream ? eventLength : 0);
  return (reasoningCount + contentCount) * call.choiceCount * pieceLength <= wholeLengthMax;
}
