/** T25: what Anthropic writes to its cache for an hour costs more than what it writes for 5 minutes. */

import { expect, test } from "bun:test";
import { chargedTexts } from "#canonical/call-texts.ts";
import { inputOf, outputOf } from "#canonical/usage.ts";
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

test("the fields of a row that wrote to a cache for an hour give its charge, whichever of them a program reads", async () => {
  const upstream = await startUpstream((socket) => socket.end(jsonAnswer(JSON.stringify(answer))));
  const relay = openTestRelay({
    channels: [testChannel({ baseUrl: upstream.url, provider: anthropic })],
  });
  const sent = await fetch(`${relay.url}/v1/messages`, {
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
  const [settled] = relay.money.settled;
  if (settled === undefined) throw new Error("the call was not charged");
  const { log } = settled;
  const fields: Record<string, number> = JSON.parse(chargedTexts(log).other);
  const at = (name: string): number => fields[name] ?? Number.NaN;
  const [prompt, completion] = [inputOf(log.usage), outputOf(log.usage)];
  const read = at("cache_tokens") * at("cache_ratio");
  const fresh = prompt - at("cache_tokens") - at("cache_creation_tokens");
  const rest = fresh + read + completion * at("completion_ratio");
  const sum = at("cache_creation_tokens") * at("cache_creation_ratio");
  const parts = ["5m", "1h"].map(
    (life) => at(`cache_creation_tokens_${life}`) * at(`cache_creation_ratio_${life}`),
  );
  const price = at("model_ratio") * at("group_ratio");
  expect([fields["cache_creation_tokens_5m"], fields["cache_creation_tokens_1h"]]).toEqual([
    200, 100,
  ]);
  expect(Math.round((rest + sum) * price)).toBe(charge);
  expect(Math.round((rest + (parts[0] ?? 0) + (parts[1] ?? 0)) * price)).toBe(charge);
});
