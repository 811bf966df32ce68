/** Calls through the relay to an upstream whose answer the test gives. */

import type { formats } from "#formats/registry.ts";
import { startUpstream } from "#network/testing/upstream.ts";
import { openTestRelay, testChannel, testKey } from "#relay/testing/relay.ts";
import { type SpelledFormat, spellings } from "./spellings.ts";

const question = [{ role: "user", content: "hi" }];

/** The path and the body of a call by clients of each format. */
const clients = {
  "anthropic-messages": {
    path: "/v1/messages",
    body: { model: "m", max_tokens: 5_000, messages: question },
  },
  "gemini-generate": {
    path: "/v1beta/models/m:streamGenerateContent?alt=sse",
    body: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
  },
  "openai-chat": {
    path: "/v1/chat/completions",
    body: { model: "m", max_tokens: 5_000, messages: question },
  },
  "openai-responses": {
    path: "/v1/responses",
    body: { model: "m", max_output_tokens: 5_000, input: "hi" },
  },
} as const satisfies Partial<Record<keyof typeof formats, object>>;

export type ClientId = keyof typeof clients;

// Safe cast: these are the keys of the object.
export const clientIds = Object.keys(clients) as ClientId[];

/** Starts the upstream. */
export async function openScene() {
  let answer = "";
  const upstream = await startUpstream((socket) => socket.end(answer));

  /** Returns what a client gets of an answer and what the call is charged for. */
  async function call(format: SpelledFormat, client: ClientId, body: string, isStream: boolean) {
    const type = isStream ? "text/event-stream" : "application/json";
    const length = Buffer.byteLength(body);
    answer = `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n${body}`;
    const { provider } = spellings[format];
    const spoken = { ...provider, formats: { [format]: provider.formats[format] } };
    const relay = openTestRelay({
      channels: [testChannel({ baseUrl: upstream.url, provider: spoken })],
    });
    const { path, body: asked } = clients[client];
    const isGemini = client === "gemini-generate";
    const wanted = client === "openai-chat" ? { stream_options: { include_usage: true } } : {};
    const sent = await fetch(
      relay.url + (isGemini && !isStream ? path.replace(/:.*$/, ":generateContent") : path),
      {
        method: "POST",
        headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
        body: JSON.stringify(isStream && !isGemini ? { ...asked, ...wanted, stream: true } : asked),
      },
    );
    const text = await sent.text();
    const [settled] = relay.money.settled;
    await relay.stop();
    return { text, log: settled?.log };
  }

  return { call, stop: () => upstream.stop() };
}
