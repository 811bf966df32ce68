import { afterEach, expect, test } from "bun:test";
import { eventually } from "#base/testing/waiting.ts";
import { anthropic } from "#providers/anthropic.ts";
import { callStream, role, streamHead, words } from "#relay/testing/stream.ts";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { submodel } from "#providers/submodel.ts";
import { makePlan } from "#relay/plan.ts";
import { openHealth } from "./health.ts";
import { openTestRelay, testChannel, testKey, testSnapshot } from "#relay/testing/relay.ts";
import { blocksOf } from "./blocks.ts";
import { explainChoice } from "./choice.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const good = jsonAnswer(
  JSON.stringify({
    choices: [{ index: 0, message: { role: "assistant", content: "Hello!" } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
);
const broken = jsonAnswer('{"error":{"message":"broken"}}', "500 Broken");

/** Opens a relay whose first channel answers as the test says, and whose second always does. */
async function open(
  isBroken: (count: number) => boolean,
  keys = ["sk-1"],
  key = testKey,
  status = 1,
) {
  let count = 0;
  const first = await startUpstream((socket) => {
    count += 1;
    socket.write(isBroken(count) ? broken : good);
  });
  const second = await startUpstream((socket) => socket.write(good));
  const relay = openTestRelay({
    channels: [
      testChannel({ id: 1, baseUrl: first.url, priority: 1, keys, status }),
      testChannel({ id: 2, baseUrl: second.url }),
    ],
    user: { role: 100 },
  });
  stops.push(relay.stop, first.stop, second.stop);
  const call = async (): Promise<number> => {
    const response = await fetch(`${relay.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }),
    });
    await response.text();
    return response.status;
  };
  return { call, first, second };
}

test("the failures of a channel send only part of its calls elsewhere: the retry budget is asked", async () => {
  // Never so many that the channel is ejected.
  const { call, second } = await open((count) => count % 5 < 2);
  let refused = 0;
  for (let calls = 0; calls < 120; calls += 1) if ((await call()) !== 200) refused += 1;

  expect(refused).toBeGreaterThan(5);
  expect(second.requests.length).toBeGreaterThanOrEqual(10);
});

test("a call whose key names its channel is sent once, although the channel has other keys", async () => {
  const { call, first, second } = await open(() => true, ["sk-1", "sk-2", "sk-3"], `${testKey}-1`);

  expect(await call()).toBeGreaterThanOrEqual(500);
  expect([first.requests.length, second.requests.length]).toEqual([1, 0]);
});

test("each channel of a choice has a word why it was or was not taken", () => {
  const baseUrl = "http://127.0.0.1:9";
  const channels = [1, 2, 3].map((id) => testChannel({ id, baseUrl, priority: 1 }));
  const [one = testChannel({ baseUrl }), two = one, three = one] = channels;
  const reserve = testChannel({ id: 4, baseUrl });
  const other = testChannel({ id: 5, baseUrl, provider: submodel });
  const snapshot = testSnapshot({ channels: [...channels, reserve, other] });
  const granted = {
    group: "default",
    model: "m",
    pinned: false,
    prices: snapshot.prices,
    price: { kind: "call", quota: 1 } as never,
    tiers: snapshot.tiersFor("default", "m") ?? [],
  };
  const kind = { formatId: "openai-chat", modality: "embeddings", isStream: false } as const;
  const plan = makePlan(granted, kind);
  const health = openHealth(() => 0);
  health.ended(3, { kind: "failed", retryAfterMs: 1_000 });
  const tried = [one, two];
  const blocks = blocksOf(plan.tiers, health, plan.model);
  const choices = [{ readers: null, blocks, triedBefore: 1 }];

  const why = (attempt: number) =>
    Object.fromEntries(explainChoice({ plan, tried, choices }, attempt));
  const rest = { 4: "tier", 5: "cannot-carry" } as const;
  expect(why(0)).toEqual({ 1: "taken", 2: "weight", 3: "weight", ...rest });
  expect(why(1)).toEqual({ 1: "tried", 2: "taken", 3: "blocked", ...rest });
  const readers = [{ priority: 1, channels: [three] }];
  const only = { plan, tried: [three], choices: [{ readers, blocks: null, triedBefore: 0 }] };
  expect(explainChoice(only, 0).get(1)).toBe("issuer-elsewhere");
});

test("a channel that is disabled gets no call, also not as the last resort", async () => {
  const { call, first, second } = await open(() => false, ["sk-1"], testKey, 2);

  expect(await call()).toBe(200);
  expect([first.requests.length, second.requests.length]).toEqual([0, 1]);
});

test("a channel that breaks ten streams in the middle is ejected", async () => {
  const upstream = await startUpstream((socket) => {
    socket.end(`${streamHead}${role}${words("Hello")}`);
  });
  const relay = openTestRelay({ channels: [testChannel({ baseUrl: upstream.url })] });
  stops.push(relay.stop, upstream.stop);
  for (let count = 0; count < 10; count += 1) {
    expect(relay.relay.ejected()).toBe(0);
    const client = callStream(relay);
    await eventually(() => client.end() !== undefined);
  }
  expect(relay.relay.ejected()).toBe(1);
});

test("one tool call at a time is asked of Messages upstreams with every choice of tools", async () => {
  const upstream = await startUpstream((socket) => socket.write(good));
  const channel = testChannel({ baseUrl: upstream.url, provider: anthropic });
  const relay = openTestRelay({ channels: [channel], options: { retryTimes: 0 } });
  stops.push(relay.stop, upstream.stop);
  const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
  const choices = ["auto", "required", { type: "function", function: { name: "f" } }];
  for (const tool_choice of choices) {
    await fetch(`${relay.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "m",
        messages: [{ role: "user", content: "hi" }],
        tools,
        tool_choice,
        parallel_tool_calls: false,
      }),
    });
  }
  expect(upstream.requests.length).toBe(3);
  for (const request of upstream.requests) {
    expect(request).toContain('"disable_parallel_tool_use":true');
  }
});
