/** T25: what Anthropic writes to its cache for an hour costs more than what it writes for 5 minutes. */

import { expect, test } from "bun:test";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { anthropic } from "#providers/anthropic.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";

const usage = {
  input_tokens: 10,
  cache_read_input_tokens: 100,
  cache_creation_input_tokens: 300,
  cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 100 },
  output_tokens: 5,
};
const answer = {
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "hi" }],
  stop_reason: "end_turn",
  usage,
};

/** Tokens × price by kind: an input token costs 2, read from the cache 1, an output token 8. */
const charge = 10 * 2 + 100 * 1 + 200 * 2 * 1.25 + 100 * 2 * 2 + 5 * 8;

for (const path of ["/v1/messages", "/v1/chat/completions"]) {
  test(`T25: both periods of a cache have their prices (${path})`, async () => {
    const upstream = await startUpstream((socket) =>
      socket.end(jsonAnswer(JSON.stringify(answer))),
    );
    const relay = openTestRelay({
      channels: [testChannel({ baseUrl: upstream.url, provider: anthropic })],
    });
    const sent = await fetch(relay.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "m",
        max_tokens: 100,
        messages: [{ role: "user", content: "hi" }],
      }),
    });
    await sent.text();
    await relay.stop();
    await upstream.stop();

    expect(sent.status).toBe(200);
    expect(relay.money.settled.map((settled) => settled.charge)).toEqual([charge]);
  });
}
