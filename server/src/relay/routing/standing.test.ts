import { afterEach, expect, test } from "bun:test";
import { type Answerer, startUpstream } from "#network/testing/upstream.ts";
import { jsonAnswer } from "#network/testing/upstream.ts";
import { openTestRelay, testChannel, testKey, type TestRelay } from "#relay/testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const busy: Answerer = (socket) =>
  socket.write(
    jsonAnswer('{"error":{"message":"busy"}}', "429 Too Many").replace(
      "\r\n",
      "\r\nretry-after: 30\r\n",
    ),
  );

async function open(): Promise<TestRelay> {
  const upstream = await startUpstream(busy);
  const given = { baseUrl: upstream.url, groups: new Set(["default", "nobody"]) };
  const channels = [
    testChannel({ ...given, id: 1, models: new Set(["m", "unpriced"]), priority: 1 }),
    testChannel({ ...given, id: 2, models: new Set(["m"]) }),
    testChannel({ ...given, id: 3, status: 3 }),
  ];
  const relay = openTestRelay({ channels });
  stops.push(relay.stop, upstream.stop);
  return relay;
}

const kindsOf = (relay: TestRelay, id: number) =>
  relay.relay.standing(id).parts.map(({ group, model, kind }) => `${group} ${model}: ${kind}`);

async function post(relay: TestRelay, model: string): Promise<number> {
  const { status } = await fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}` },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });
  return status;
}

test("a channel's standing names what refuses its calls: no price, no ratio of the group", async () => {
  const relay = await open();
  expect(kindsOf(relay, 1)).toEqual([
    "default m: used",
    "default unpriced: no-price",
    "nobody m: no-group",
    "nobody unpriced: no-group",
  ]);
  expect(await post(relay, "unpriced")).toBe(403);
  expect(kindsOf(relay, 2)).toEqual(["default m: reserve", "nobody m: no-group"]);
  expect(relay.relay.standing(3)).toEqual({ state: "off", parts: [] });
  expect(relay.relay.standing(99)).toEqual({ state: "unusable", parts: [] });
});

test("a channel whose upstream asked for a pause is cooling down until then", async () => {
  const relay = await open();
  expect(await post(relay, "m")).toBe(429);
  const { parts } = relay.relay.standing(1);
  expect(parts[0]).toMatchObject({ model: "m" });
  const left = (parts.find(({ kind }) => kind === "cooldown")?.untilMs ?? 0) - Date.now();
  // Both channels cool down, so the one whose pause ends first is tried nevertheless.
  const kinds = [1, 2].map((id) => relay.relay.standing(id).parts[0]?.kind);
  expect(new Set(kinds)).toEqual(new Set(["cooldown", "used"]));
  const until = left > 0 ? left : (relay.relay.standing(2).parts[0]?.untilMs ?? 0) - Date.now();
  expect(until).toBeGreaterThan(0);
  expect(until).toBeLessThanOrEqual(30_000);
});
