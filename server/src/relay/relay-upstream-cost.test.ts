import { afterEach, expect, test } from "bun:test";
import { unitPrice } from "@tollgate/contract/money/charge.ts";
import { type Answerer, jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import type { CostList } from "#ports/snapshot.ts";
import { testPrices } from "./testing/prices.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";
import { done, event, finish, role, streamHead, words } from "./testing/stream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A list in which model `m` costs this many quota units per input token, and as many of output. */
function costing(version: number, ratio: string): CostList {
  const list = { ...testPrices, ModelRatio: { m: ratio }, CompletionRatio: {}, ModelPrice: {} };
  return { version, priceOf: (model) => unitPrice(list, model, "default") };
}

async function ask(costs: readonly (CostList | null)[], answerers: readonly Answerer[], more = {}) {
  const upstreams = await Promise.all(answerers.map((answerer) => startUpstream(answerer)));
  const channels = upstreams.map(({ url }, index) =>
    testChannel({ id: index + 1, baseUrl: url, priority: -index, costs: costs[index] ?? null }),
  );
  const relay = openTestRelay({ channels });
  stops.push(relay.stop, ...upstreams.map(({ stop }) => stop));
  const response = await fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }], ...more }),
  });
  const text = await response.text();
  const headers = JSON.stringify([...response.headers]);
  return { text, headers, relay, log: relay.money.settled[0]?.log };
}

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const whole = (told: object = usage): Answerer => {
  const message = { role: "assistant", content: "Hello there!" };
  const body = JSON.stringify({ choices: [{ index: 0, message }], usage: told, id: "x" });
  return (socket) => socket.end(jsonAnswer(body));
};
const broken: Answerer = (socket) => socket.end(jsonAnswer('{"error":{}}', "500 Oops"));
const refused: Answerer = (socket) => socket.end(jsonAnswer('{"error":{}}', "400 Bad Request"));

test("a retried call costs what the channel that answered charges", async () => {
  const { log } = await ask([costing(4, "7000"), costing(5, "3")], [broken, whole()]);
  expect(log).toMatchObject({ tried: [1, 2], cost: 45, costVersion: 5, reportedCost: "" });
});

test("what nobody has said is no cost of 0", async () => {
  expect((await ask([null], [whole()])).log).toMatchObject({ cost: null, costVersion: 0 });
  const without = { version: 9, priceOf: () => undefined };
  expect((await ask([without], [whole()])).log).toMatchObject({ cost: null, costVersion: 9 });
});

test("a call that every channel refused has no charge and no cost", async () => {
  const { relay } = await ask([costing(4, "7000")], [refused]);
  expect(relay.money.settled).toEqual([]);
  expect(relay.failures).toHaveLength(1);
});

/** What upstreams add to their usage, and the cost in it. */
const reports: readonly (readonly [name: string, report: object, cost: string])[] = [
  [
    "OpenRouter",
    {
      cost: 0.0073194,
      is_byok: false,
      cost_details: { upstream_inference_cost: 0.0073194, upstream_inference_prompt_cost: 6e-6 },
    },
    "0.0073194",
  ],
  ["xAI", { cost_in_usd_ticks: 73_194_001 }, "0.0073194001"],
  ["Perplexity", { cost: { input_tokens_cost: 73194e-9, total_cost: 0.073194 } }, "0.073194"],
  ["DeepInfra", { estimated_cost: 7.3194e-7 }, "0.00000073194"],
];

for (const [name, report, cost] of reports) {
  test(`a cost that the upstream reports is kept, and clients are not told it: ${name}`, async () => {
    const told = { ...usage, ...report };
    const answered = await ask([costing(5, "3")], [whole(told)]);
    expect(answered.log).toMatchObject({ cost: 45, reportedCost: cost });
    const body = JSON.parse(answered.text);
    expect(body).toMatchObject({ id: "x", usage });
    const left = Object.keys(body.usage).filter((field) => /cost/.test(field));
    expect(left).toEqual([]);
    expect(answered.text + answered.headers).not.toContain("73194");

    const events = role + words("Hello") + words(" there!") + finish;
    const bytes = streamHead + events + event({ choices: [], usage: told }) + done;
    const streamed = await ask([costing(5, "3")], [(socket) => socket.end(bytes)], {
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(streamed.log).toMatchObject({ cost: 45, reportedCost: cost });
    expect(streamed.text).toContain('"prompt_tokens":10');
    expect(streamed.text).not.toContain("73194");
    for (const line of streamed.text.split("\n\n").slice(0, -2)) {
      expect(() => JSON.parse(line.slice("data: ".length))).not.toThrow();
    }
  });
}

test("figures that are no costs are none", async () => {
  for (const cost of [-1, "0.1", null, 1e9, { total_cost: "1" }, []]) {
    const { log, text } = await ask([null], [whole({ ...usage, cost })]);
    expect([cost, log?.reportedCost]).toEqual([cost, ""]);
    expect(JSON.parse(text).usage).toMatchObject(usage);
  }
});
