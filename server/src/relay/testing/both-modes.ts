/** The same answer of each upstream format, streamed and whole, and who asks for it. */

import { startUpstream } from "#network/testing/upstream.ts";
import { anthropic } from "#providers/anthropic.ts";
import { gemini } from "#providers/gemini.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import {
  openTestRelay,
  testChannel,
  testKey,
  type TestRelay,
  type TestRelayOptions,
} from "./relay.ts";

export const said = "Hello there! ✓";

const named = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
export const data = (payload: object): string => `data: ${JSON.stringify(payload)}\n\n`;

export const chatUsage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const chatHead = { id: "chatcmpl-1", created: 1, model: "m", system_fingerprint: "fp_1" };
const choice = (delta: object, finish_reason: string | null = null): object => ({
  ...chatHead,
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason }],
});

const messagesUsage = { input_tokens: 100, output_tokens: 20 };
const message = { id: "msg_1", type: "message", role: "assistant", model: "m" };

const responsesUsage = { input_tokens: 100, output_tokens: 20, total_tokens: 120 };
export const item = {
  id: "msg_1",
  type: "message",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text: said, annotations: [] }],
};
const response = { id: "resp_1", object: "response", created_at: 1, model: "m" };
export const completed = {
  ...response,
  status: "completed",
  output: [item],
  usage: responsesUsage,
};

const geminiUsage = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 };
const candidate = (text: string, more: object = {}): object => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0, ...more }],
  responseId: "r1",
  modelVersion: "m",
});

/** The same answer of each upstream format in both modes. */
export const answers = {
  chat: {
    whole: {
      ...chatHead,
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", content: said }, finish_reason: "stop" }],
      usage: chatUsage,
    },
    stream:
      data(choice({ role: "assistant", content: "" })) +
      data(choice({ content: "Hello " })) +
      data(choice({ content: "there! ✓" })) +
      data(choice({}, "stop")) +
      data({ ...chatHead, object: "chat.completion.chunk", choices: [], usage: chatUsage }) +
      "data: [DONE]\n\n",
  },
  messages: {
    whole: {
      ...message,
      content: [{ type: "text", text: said }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: messagesUsage,
    },
    stream:
      named("message_start", {
        message: { ...message, content: [], usage: { input_tokens: 100, output_tokens: 1 } },
      }) +
      named("content_block_start", { index: 0, content_block: { type: "text", text: "" } }) +
      named("content_block_delta", { index: 0, delta: { type: "text_delta", text: "Hello " } }) +
      named("content_block_delta", { index: 0, delta: { type: "text_delta", text: "there! ✓" } }) +
      named("content_block_stop", { index: 0 }) +
      named("message_delta", {
        delta: { stop_reason: "end_turn", stop_sequence: null },
        usage: { output_tokens: 20 },
      }) +
      named("message_stop", {}),
  },
  responses: {
    whole: completed,
    stream:
      named("response.created", {
        response: { ...response, status: "in_progress", output: [], usage: null },
      }) +
      named("response.output_item.added", { output_index: 0, item: { ...item, content: [] } }) +
      named("response.output_text.delta", {
        item_id: "msg_1",
        output_index: 0,
        content_index: 0,
        delta: said,
      }) +
      named("response.output_item.done", { output_index: 0, item }) +
      // As some servers end a stream: the items are not repeated.
      named("response.completed", { response: { ...completed, output: [] } }),
  },
  gemini: {
    whole: { ...candidate(said, { finishReason: "STOP" }), usageMetadata: geminiUsage },
    stream:
      data({ ...candidate("Hello "), usageMetadata: { promptTokenCount: 100 } }) +
      data({ ...candidate("there! ✓", { finishReason: "STOP" }), usageMetadata: geminiUsage }),
  },
} as const;

export type Kind = keyof typeof answers;
export const kinds = Object.keys(answers) as Kind[];

function alone(format: "openai-chat" | "openai-responses", chat: string): Provider {
  const asksForUsage = format === "openai-chat";
  return { ...openai, formats: { [format]: { paths: { chat }, asksForUsage } } };
}

/** Servers that speak one format each. */
const providers: Readonly<Record<Kind, Provider>> = {
  chat: alone("openai-chat", "/v1/chat/completions"),
  messages: anthropic,
  responses: alone("openai-responses", "/v1/responses"),
  gemini,
};

const user = { role: "user", content: "hi" } as const;

/** The calls of clients of each format, and where each of them reads the text. */
export const clients = {
  chat: {
    path: () => "/v1/chat/completions",
    body: { model: "m", max_tokens: 500, messages: [user] },
    text: (body: never) => pick(body, "choices", 0, "message", "content"),
    piece: (body: never) => pick(body, "choices", 0, "delta", "content"),
  },
  messages: {
    path: () => "/v1/messages",
    body: { model: "m", max_tokens: 500, messages: [user] },
    text: (body: never) => pick(body, "content", 0, "text"),
    piece: (body: never) => pick(body, "delta", "text"),
  },
  responses: {
    path: () => "/v1/responses",
    body: { model: "m", max_output_tokens: 500, input: "hi" },
    text: (body: never) => pick(body, "output", 0, "content", 0, "text"),
    piece: (body: never) =>
      pick(body, "type") === "response.output_text.delta" ? pick(body, "delta") : "",
  },
  gemini: {
    path: (isStream: boolean) =>
      `/v1beta/models/m:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: {
      contents: [{ role: "user", parts: [{ text: "hi" }] }],
      generationConfig: { maxOutputTokens: 500 },
    },
    text: (body: never) => pick(body, "candidates", 0, "content", "parts", 0, "text"),
    piece: (body: never) => pick(body, "candidates", 0, "content", "parts", 0, "text"),
  },
} as const;

/** Returns what stands at a place of a value; empty: nothing does. */
function pick(value: unknown, ...path: readonly (number | string)[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null) return "";
    at = Reflect.get(at, key);
  }
  return at ?? "";
}

/** Makes an answer with a length. */
export function jsonHead(body: string, type = "application/json"): string {
  const length = Buffer.byteLength(body);
  return `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n${body}`;
}

/**
 * Opens a relay with one upstream that answers every request with these bytes.
 *
 * @param stops gets what ends both.
 */
export async function openAnswering(
  stops: (() => Promise<void>)[],
  kind: Kind | Provider,
  answer: string,
  given: Omit<TestRelayOptions, "channels"> = {},
): Promise<TestRelay> {
  const upstream = await startUpstream((socket) => socket.end(answer));
  const provider = typeof kind === "string" ? providers[kind] : kind;
  const channels = [testChannel({ baseUrl: upstream.url, provider })];
  const relay = openTestRelay({ ...given, channels });
  stops.push(relay.stop, upstream.stop);
  return relay;
}

/** Asks as a client of the format does. */
export async function ask(relay: TestRelay, client: Kind, isStream: boolean): Promise<Response> {
  const { body, path } = clients[client];
  const saysInBody = client !== "gemini";
  return await fetch(`${relay.url}${path(isStream)}`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify(saysInBody ? { ...body, stream: isStream } : body),
  });
}

/** Returns the text in a stream, as a client of the format reads it. */
export function textOfStream(client: Kind, stream: string): string {
  const payloads = stream.split("\n").filter((line) => line.startsWith("data: {"));
  // Safe cast: each reads its own format.
  return payloads
    .map((line) => clients[client].piece(JSON.parse(line.slice("data: ".length)) as never))
    .join("");
}

export const charges = ({ money }: TestRelay) => money.settled.map(({ charge }) => charge);
