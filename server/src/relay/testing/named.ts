/** An upstream of all formats, which gives ids, behind a relay that two users share. */

import { startUpstream } from "#network/testing/upstream.ts";
import { ali } from "#providers/ali.ts";
import { anthropic } from "#providers/anthropic.ts";
import { gemini } from "#providers/gemini.ts";
import { openai } from "#providers/openai.ts";
import { openTestRelay, testChannel, testKey } from "./relay.ts";

export type Body = Readonly<Record<string, unknown>>;

const whole = (body: object | string): string => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = typeof body === "string" ? "text/event-stream" : "application/json";
  return `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
};

const response = {
  id: "resp_1",
  object: "response",
  status: "completed",
  output: [
    { id: "rs_1", type: "reasoning", summary: [] },
    { id: "ci_1", type: "code_interpreter_call", container_id: "cntr_1", code: "1+1" },
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "2" }],
    },
  ],
  usage: { input_tokens: 9, output_tokens: 5, total_tokens: 14 },
};

const message = {
  id: "msg_2",
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "2" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 9, output_tokens: 5 },
  container: { id: "container_1", expires_at: "2027-01-01T00:00:00Z" },
};

const completion = {
  id: "chatcmpl-1",
  object: "chat.completion",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: null, audio: { id: "audio_1", transcript: "two" } },
      finish_reason: "stop",
    },
  ],
  usage: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 },
};

const generated = {
  candidates: [{ content: { role: "model", parts: [{ text: "2" }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 },
};

const events = (list: readonly object[]): string =>
  list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

const streams = {
  responses: events([
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_text.delta", delta: "2" },
    { type: "response.completed", response },
  ]),
  messages: [
    { type: "message_start", message: { ...message, content: [], container: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "2" } },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", container: message.container },
      usage: { output_tokens: 5 },
    },
    { type: "message_stop" },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join(""),
  completions: `${events([
    { choices: [{ index: 0, delta: { role: "assistant", audio: { id: "audio_1" } } }] },
    { choices: [{ index: 0, delta: { audio: { transcript: "two" } } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    { choices: [], usage: completion.usage },
  ])}data: [DONE]\n\n`,
};

/** A stream of Responses without its end. */
const cutResponse =
  "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 9999\r\n\r\n" +
  events([
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.in_progress", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: response.output[1] },
    {
      type: "response.output_item.added",
      output_index: 1,
      item: {
        type: "shell_call",
        environment: { type: "container_reference", container_id: "cntr_2" },
      },
    },
    { type: "response.output_text.delta", delta: "2" },
  ]);

/** Opens a relay over one upstream of all formats. */
export async function openNamingRelay(change: { readonly sharesIds?: boolean } = {}) {
  const upstream = await startUpstream((socket, request) => {
    const isStream = /"stream":true/.test(request);
    const [, path = ""] = /^\S+ (\S+)/.exec(request) ?? [];
    if (request.includes("break off")) socket.end(cutResponse);
    else if (request.includes("take long")) socket.write(cutResponse);
    else if (path.includes("/responses")) {
      socket.write(whole(isStream ? streams.responses : response));
    } else if (path.includes("/messages")) {
      socket.write(whole(isStream ? streams.messages : message));
    } else if (path.includes("generateContent") || path.includes("embedContent")) {
      socket.write(whole(path.includes("embed") ? { embedding: { values: [1] } } : generated));
    } else if (path.includes("/images")) socket.write(whole({ data: [{ b64_json: "aGk=" }] }));
    else socket.write(whole(isStream ? streams.completions : completion));
  });
  const providers = { m: openai, "demo-fast": anthropic, other: gemini, long: openai, tiered: ali };
  const channels = Object.entries(providers).map(([name, provider], index) =>
    testChannel({
      id: index + 1,
      baseUrl: upstream.url,
      provider,
      models: new Set([name]),
      keys: [`key-${name}`],
      ...change,
    }),
  );
  const relay = openTestRelay({ channels });
  const ask = async (user: number, path: string, body: Body) => {
    relay.callers.user = { id: user };
    const answer = await fetch(`${relay.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}` },
      // Backslashes of the cases are escapes of JSON.
      body: JSON.stringify(body).replaceAll("\\\\", "\\"),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const stop = async (): Promise<void> => {
    await Promise.all([relay.stop(), upstream.stop()]);
  };
  return { relay, upstream, ask, stop };
}

/** A message of the user. */
export const user = (content: unknown): Body => ({ role: "user", content });
