/** A channel's parameter override may make a call more expensive than the client's request. */

import { afterEach, describe, expect, test } from "bun:test";
import { eventually } from "#base/testing/waiting.ts";
import { type Answerer, jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import {
  openTestRelay,
  testChannel,
  testKey,
  type TestRelay,
  type TestRelayOptions,
} from "./testing/relay.ts";
import { callStream, role, streamHead, words } from "./testing/stream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Override = Readonly<Record<string, unknown>>;

/** Opens a relay with one channel for each override. Channels are tried in this order. */
async function open(
  answerer: Answerer,
  given: Omit<TestRelayOptions, "channels">,
  ...overrides: readonly (Override | null)[]
) {
  const upstream = await startUpstream(answerer);
  const channels = overrides.map((paramOverride, index) =>
    testChannel({ id: index + 1, baseUrl: upstream.url, priority: -index, paramOverride }),
  );
  const relay = openTestRelay({ ...given, channels });
  stops.push(relay.stop, upstream.stop);
  return { relay, upstream };
}

const messages = [{ role: "user", content: "hi" }];

async function post(relay: TestRelay, fields: object) {
  const response = await fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}` },
    body: JSON.stringify({ model: "m", messages, ...fields }),
  });
  const body = await response.text();
  return { status: response.status, body };
}

const completion = (completionTokens: number): string =>
  JSON.stringify({
    choices: [{ index: 0, message: { role: "assistant", content: "Hello there!" } }],
    usage: { prompt_tokens: 10, completion_tokens: completionTokens },
  });

/** The price of an output token in quota units. */
const outputUnits = 8;

/**
 * Makes a call with these fields and returns the quota that is held while the upstream works on it.
 */
async function heldFor(fields: object, override: Override | null): Promise<number> {
  let held = 0;
  const answering = Promise.withResolvers<void>();
  const { relay } = await open(
    (socket) => {
      answering.resolve();
      void answered.then(() => socket.write(jsonAnswer(completion(5))));
    },
    {},
    override,
  );
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const answerOf = post(relay, fields);
  await answering.promise;
  held = relay.money.held;
  answer();
  expect((await answerOf).status).toBe(200);
  expect(relay.money.held).toBe(0);
  return held;
}

describe("what is held is what is sent", () => {
  // How much more quota may be held, because the override adds bytes to the prompt.
  const slackUnits = 100;
  const cases: readonly (readonly [string, object, Override, number])[] = [
    ["a limit that is raised", { max_tokens: 50 }, { max_tokens: 3_000 }, 3_000],
    ["a second, larger limit", { max_tokens: 50 }, { max_completion_tokens: 3_000 }, 3_000],
    ["a limit where the client set none", {}, { max_tokens: 9_000 }, 9_000],
    ["a limit that is deleted", { max_tokens: 50 }, { max_tokens: null }, 4_096],
    ["more answers", { max_tokens: 50 }, { best_of: 4 }, 200],
    [
      "a lower limit, which another channel may not have",
      { max_tokens: 50 },
      { max_tokens: 5 },
      50,
    ],
    ["another field", { max_tokens: 50 }, { temperature: 0 }, 50],
  ];
  for (const [what, fields, override, tokens] of cases) {
    test(what, async () => {
      const held = await heldFor(fields, override);
      expect(held).toBeGreaterThanOrEqual(tokens * outputUnits);
      expect(held).toBeLessThan(tokens * outputUnits + 2 * slackUnits);
    });
  }

  test("where the database grants it, too", async () => {
    const { relay } = await open(
      (socket) => socket.write(jsonAnswer(completion(400))),
      { options: { quotaPerCallMax: 0 } },
      { max_tokens: 500 },
    );
    relay.money.asks = true;
    expect((await post(relay, { max_tokens: 1 })).status).toBe(200);

    expect(relay.money.extended).toBeGreaterThanOrEqual(499 * outputUnits);
    // The upstream's count is accepted up to the limit that the override set, which is above the
    // client's.
    expect(relay.money.settled[0]?.log.usageSource).toBe("upstream");
    expect(relay.money.settled[0]?.charge).toBe(10 * 2 + 400 * outputUnits);
  });
});

describe("a call that cannot pay for what a channel makes of it", () => {
  test("is refused before it is sent, and free", async () => {
    const { relay, upstream } = await open(
      (socket) => socket.write(jsonAnswer(completion(5))),
      { balance: 2_000 },
      { max_tokens: 3_000 },
    );
    const answer = await post(relay, { max_tokens: 50 });

    expect(answer.status).toBe(403);
    expect(answer.body).toContain('"code":"insufficient_user_quota"');
    expect(upstream.requests).toEqual([]);
    expect(relay.money).toMatchObject({ settled: [], held: 0, balance: 2_000 });
  });

  test("goes to the next channel, which sends what the client asked for", async () => {
    const { relay, upstream } = await open(
      (socket) => socket.write(jsonAnswer(completion(5))),
      { balance: 2_000 },
      { max_tokens: 3_000 },
      null,
    );
    expect((await post(relay, { max_tokens: 50 })).status).toBe(200);

    expect(upstream.requests).toHaveLength(1);
    expect(upstream.requests[0]).toContain('"max_tokens":50');
    expect(relay.relay.ejected()).toBe(0);
  });

  test("is refused where it exceeds the limit per call", async () => {
    const { relay, upstream } = await open(
      (socket) => socket.write(jsonAnswer(completion(5))),
      { options: { quotaPerCallMax: 5_000 } },
      { max_tokens: 3_000 },
    );
    const answer = await post(relay, { max_tokens: 50 });

    expect([answer.status, upstream.requests]).toEqual([403, []]);
    expect(answer.body).toContain('"code":"quota_per_call_exceeded"');
  });

  test("streams as far as its money goes", async () => {
    const { relay } = await open(
      (socket) => {
        socket.write(streamHead + role);
        const timer = setInterval(() => socket.write(words("word ".repeat(100))), 2);
        socket.on("close", () => clearInterval(timer));
      },
      { balance: 20_000 },
      { max_tokens: 100_000 },
    );
    const client = callStream(relay, { max_tokens: 50 });
    await eventually(() => client.end() !== undefined);

    expect(client.text()).toContain('"code":"insufficient_user_quota"');
    expect(relay.money.held).toBe(0);
    expect(relay.money.balance).toBeGreaterThanOrEqual(0);
    expect(relay.money.settled[0]?.charge).toBeLessThanOrEqual(20_000);
  });
});

test("an override of which nobody can say what it costs is not sent", async () => {
  for (const override of [{ max_tokens: "many" }, { max_tokens: 1e12 }, { messages: null }]) {
    const { relay, upstream } = await open(
      (socket) => socket.write(jsonAnswer(completion(5))),
      {},
      override,
    );
    const answer = await post(relay, { max_tokens: 50 });

    expect([answer.status, upstream.requests]).toEqual([503, []]);
    expect(relay.money).toMatchObject({ settled: [], held: 0 });
  }
});

test("a channel's own headers are sent in place of the provider's, with its key where they name it", async () => {
  const upstream = await startUpstream((socket) => socket.write(jsonAnswer(completion(1))));
  const headerOverride = { "X-Team": "research", Authorization: "Token {api_key}" };
  const relay = openTestRelay({
    channels: [testChannel({ id: 1, baseUrl: upstream.url, headerOverride })],
  });
  stops.push(relay.stop, upstream.stop);
  for (let turn = 0; turn < 2; turn += 1) {
    expect((await post(relay, {})).status).toBe(200);
    const head = upstream.requests.at(-1)?.toLowerCase() ?? "";
    expect(head).toContain("x-team: research\r\n");
    expect(head).toContain("authorization: token sk-upstream-secret-1\r\n");
    expect(head).not.toContain("bearer");
  }
});
