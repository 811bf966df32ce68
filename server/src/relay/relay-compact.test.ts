/** Compaction of conversations: passed on where the provider has it, refused where none has. */

import { afterEach, expect, test } from "bun:test";
import { startUpstream } from "#network/testing/upstream.ts";
import { anthropic } from "#providers/anthropic.ts";
import { azure } from "#providers/azure.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { openTestRelay, testChannel, testKey, testUser } from "./testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** The shape of a recorded answer: the request's messages again, and the sealed summary. */
const message = {
  type: "message",
  role: "user",
  status: "completed",
  content: [{ type: "input_text", text: "What is 2+2? ".repeat(100) }],
};
const compaction = (output: number): object => ({
  id: "resp_1",
  object: "response.compaction",
  output: [message, { type: "compaction", id: "cmp_1", encrypted_content: "g".repeat(12_000) }],
  usage: { input_tokens: 156, output_tokens: output, total_tokens: 156 + output },
});

async function open(providers: readonly Provider[], answer: object) {
  const body = JSON.stringify(answer);
  const upstream = await startUpstream((socket) =>
    socket.end(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    ),
  );
  const channels = providers.map((provider, index) =>
    testChannel({
      id: index + 1,
      baseUrl: upstream.url,
      priority: -index,
      provider,
      modelMapping: new Map([["m", "gpt-4o-mini"]]),
    }),
  );
  const relay = openTestRelay({ channels });
  stops.push(relay.stop, upstream.stop);
  const post = async (fields: object): Promise<Response> =>
    await fetch(`${relay.url}/v1/responses/compact`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "m", ...fields }),
    });
  const charges = () => relay.money.settled.map(({ charge, log }) => [charge, log.usageSource]);
  return { post, charges, issuers: relay.issuers, requests: upstream.requests };
}

const asked = { input: [{ role: "user", content: "What is 2+2?" }], instructions: "Be brief." };

test("a conversation is compacted by the upstream, byte for byte, and charged what it reports", async () => {
  for (const [provider, path] of [
    [openai, "/v1/responses/compact"],
    [azure, "/openai/v1/responses/compact"],
  ] as const) {
    const { charges, post, requests } = await open([provider], compaction(9_000));
    const response = await post(asked);

    expect([response.status, await response.text()]).toEqual([
      200,
      JSON.stringify(compaction(9_000)),
    ]);
    expect(requests[0]).toStartWith(`POST ${path} HTTP/1.1\r\n`);
    expect(JSON.parse(requests[0]?.split("\r\n\r\n")[1] ?? "")).toEqual({
      model: "gpt-4o-mini",
      ...asked,
    });
    // 156 tokens at 2 units and 9,000 at 8.
    expect(charges()).toEqual([[72_312, "upstream"]]);
  }
});

test("a conversation that the upstream keeps is compacted without input", async () => {
  const { charges, issuers, post } = await open([openai], compaction(9_000));
  expect((await post({ previous_response_id: "resp_0" })).status).toBe(400);
  const key = "sk-upstream-secret-1";
  issuers.note(["resp_0"], { userId: testUser.id, channelId: 1, key });

  expect((await post({ previous_response_id: "resp_0" })).status).toBe(200);
  expect(charges()).toEqual([[72_312, "upstream"]]);
});

test("a summary far longer than what came is not charged as reported", async () => {
  const { charges, post } = await open([openai], compaction(900_000));

  expect((await post(asked)).status).toBe(200);
  const [[charge, source] = []] = charges();
  expect(source).toBe("suspect");
  expect(Number(charge)).toBeLessThan(100_000);
});

test("the call goes to the channel that can compact, and is refused with words where none can", async () => {
  const both = await open([anthropic, openai], compaction(9_000));
  expect((await both.post(asked)).status).toBe(200);
  expect(both.requests).toHaveLength(1);

  const none = await open([anthropic], compaction(9_000));
  const response = await none.post(asked);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: { code: "unsupported_request", param: "model" },
  });
  expect([none.requests, none.charges()]).toEqual([[], []]);
});
