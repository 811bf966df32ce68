/** A further kind of way, for an upstream with words of its own, added in this folder alone. */

import { afterEach, expect, test } from "bun:test";
import { startUpstream, jsonAnswer } from "#network/testing/upstream.ts";
import { openAddressBook } from "#network/address-book.ts";
import { openTicker } from "#network/ticker.ts";
import { openTransport } from "#network/transport.ts";
import { testChannel as tryChannel } from "#relay/probes/channel-test.ts";
import { openTestRelay, testChannel, testKey, testSnapshot } from "#relay/testing/relay.ts";
import { wayKinds } from "./open-way.ts";
import { passedOnWay } from "./passed-on.ts";
import type { WayKind } from "./way.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const decode = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes));

/** An upstream that is asked `{"ask"}` and answers `{"say","tokens"}`. */
const fourthWay: WayKind = (facts) => {
  if (facts.model !== "fourth") return undefined;
  const plain = passedOnWay(facts);
  const { reading } = plain;
  const inChat = (bytes: Uint8Array): Uint8Array => {
    const { say, tokens } = decode(bytes);
    const message = { role: "assistant", content: say };
    const [prompt_tokens, completion_tokens] = tokens;
    const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens };
    return encode({ choices: [{ index: 0, message, finish_reason: "stop" }], usage });
  };
  return {
    ...plain,
    reading: {
      ...reading,
      losses: ["temperature"],
      openWhole: (call, bytes) => reading.openWhole(call, inChat(bytes)),
      readWhole: (call, bytes, type) => reading.readWhole(call, inChat(bytes), type),
    },
    write: (_, { bytes }) => encode({ ask: decode(bytes).messages[0].content }),
  };
};

async function open() {
  wayKinds.unshift(fourthWay);
  stops.push(() => wayKinds.shift());
  const upstream = await startUpstream((socket, request) => {
    if (request.includes('{"ask":"hi"}')) {
      socket.write(jsonAnswer(JSON.stringify({ say: "Hello!", tokens: [10, 5] })));
    } else socket.destroy();
  });
  stops.push(upstream.stop);
  return testChannel({
    baseUrl: upstream.url,
    models: new Set(["m", "fourth"]),
    modelMapping: new Map([["m", "fourth"]]),
  });
}

test("adding a fourth way touches ways/ alone: it answers calls, whole and streamed", async () => {
  const channel = await open();
  const relay = openTestRelay({ channels: [channel], options: { retryTimes: 0 } });
  stops.push(relay.stop);
  const ask = async (stream: boolean) => {
    const sent = await fetch(`${relay.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "m", stream, messages: [{ role: "user", content: "hi" }] }),
    });
    return { status: sent.status, headers: sent.headers, text: await sent.text() };
  };
  const whole = await ask(false);
  const streamed = await ask(true);

  expect([whole.status, streamed.status]).toEqual([200, 200]);
  for (const { text } of [whole, streamed]) expect(text).toContain("Hello!");
  expect(streamed.text).toContain("data: [DONE]");
  expect(whole.headers.get("x-tollgate-losses")).toBe("temperature");
  expect(relay.money.settled.map(({ log }) => log.usage)).toMatchObject([
    { input: 10, output: 5 },
    { input: 10, output: 5 },
  ]);
});

test("a fourth way is the one that tests of channels go, too", async () => {
  const channel = await open();
  const ticker = openTicker(() => performance.now());
  const nowMs = ticker.nowMs;
  const addresses = openAddressBook({ allows: () => true, resolve: async () => [], nowMs });
  const transport = openTransport({ addresses, ticker });
  const { options } = testSnapshot({ channels: [] });
  const deps = { transport, options, now: Date.now, nowMs };

  expect(await tryChannel(deps, channel, "m")).toMatchObject({ ok: true });
});
