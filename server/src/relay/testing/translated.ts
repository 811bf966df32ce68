/** Asks translated upstreams, for tests of what they are sent and of what clients get. */

import { afterEach } from "bun:test";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { openTestRelay, testChannel, testKey } from "./relay.ts";
import { streamHead } from "./stream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A server of the chat format alone, as most compatible ones are. */
export const chatOnly: Provider = {
  ...openai,
  formats: { "openai-chat": { paths: { chat: "/v1/chat/completions" }, asksForUsage: true } },
};
/** A server of the Responses format alone. */
export const responsesOnly: Provider = {
  ...openai,
  formats: { "openai-responses": { paths: { chat: "/v1/responses" }, asksForUsage: false } },
};

/** Returns the bytes of an answer to a request. */
type Answering = (sent: string) => string;

/** Sends a request through a relay with one channel, and returns what came and what was sent. */
export async function ask(
  provider: Provider,
  answering: Answering,
  path: string,
  body: object,
  given: Partial<ChannelView> = {},
) {
  const sent: string[] = [];
  const upstream = await startUpstream((socket, request) => {
    const text = Buffer.from(request, "latin1").toString();
    sent.push(text.slice(text.indexOf("\r\n\r\n") + 4));
    socket.end(Buffer.from(answering(sent.at(-1) ?? "")));
  });
  const relay = openTestRelay({
    channels: [testChannel({ baseUrl: upstream.url, provider, ...given })],
  });
  stops.push(relay.stop, upstream.stop);
  const response = await fetch(`${relay.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}` },
    body: JSON.stringify(body),
  });
  const losses = response.headers.get("x-tollgate-losses") ?? "";
  return {
    relay,
    status: response.status,
    losses,
    text: await response.text(),
    sent: sent[0] ?? "",
  };
}

export const jsonOf = (body: object) => jsonAnswer(JSON.stringify(body));
export const eventsOf = (...list: readonly object[]) =>
  streamHead + list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

/** Requests of each client format, of a text with further fields. */
export const requests = {
  "/v1/chat/completions": (more: object) => ({
    model: "m",
    messages: [{ role: "user", content: "hi" }],
    ...more,
  }),
  "/v1/messages": (more: object) => ({
    model: "m",
    max_tokens: 50,
    messages: [{ role: "user", content: "hi" }],
    ...more,
  }),
  "/v1/responses": (more: object) => ({ model: "m", input: "hi", ...more }),
} as const;

/** A whole chat completion of a text. */
export const chatText = (content: string) =>
  jsonOf({
    id: "c",
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  });
