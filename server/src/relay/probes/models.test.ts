import { afterEach, expect, test } from "bun:test";
import { openAddressBook } from "#network/address-book.ts";
import { openTicker } from "#network/ticker.ts";
import { type Answerer, jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { openTransport } from "#network/transport.ts";
import { testChannel } from "#relay/testing/relay.ts";
import { listUpstreamModels } from "./models.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const ticker = openTicker(() => performance.now());
const addresses = openAddressBook({
  allows: () => true,
  resolve: async () => [],
  nowMs: ticker.nowMs,
});
const transport = openTransport({ addresses, ticker });

async function open(answer: Answerer) {
  const upstream = await startUpstream(answer);
  stops.push(upstream.stop);
  return { channel: testChannel({ baseUrl: upstream.url }), upstream };
}

test("an upstream's model list is read with the channel's key, within limits", async () => {
  const long = "x".repeat(300);
  const list = JSON.stringify({ data: [{ id: "a" }, { id: long }, { id: 5 }, null, { id: "b" }] });
  const { channel, upstream } = await open((socket) => socket.write(jsonAnswer(list)));

  expect(await listUpstreamModels(transport, channel)).toEqual({ ok: true, models: ["a", "b"] });
  expect(upstream.requests[0]).toStartWith("GET /v1/models HTTP/1.1\r\n");
  expect(upstream.requests[0]).toContain("authorization: Bearer sk-upstream-secret-1\r\n");

  const page = await open((socket) => socket.write(jsonAnswer("<html>")));
  expect(await listUpstreamModels(transport, page.channel)).toEqual({
    ok: false,
    message: "answer-malformed",
  });
  const refused = await open((socket) => socket.write(jsonAnswer("{}", "401 Unauthorized")));
  expect(await listUpstreamModels(transport, refused.channel)).toEqual({
    ok: false,
    message: "http-401",
  });
});
