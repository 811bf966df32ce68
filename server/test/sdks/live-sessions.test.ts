/**
 * Sessions of Gemini's Live API through the relay to the demo upstream: what a client of Google's SDK
 * hears is what the upstream said, and each turn is charged as the upstream counted it.
 */

import { expect, test } from "bun:test";
import { eventually } from "#test/upstreams/client.ts";
import type { TestRelay } from "#relay/testing/relay.ts";
import { connect, path, setup, startLiveScene } from "./live-scene.ts";

const { demo, open, openTo, stops, talk } = startLiveScene();

/** What a turn costs: 100 tokens read at 2 units, and five of sound said at 80. */
const turnCost = 100 * 2 + 5 * 80;

const rows = ({ money }: TestRelay) =>
  money.settled.map(({ charge, log }) => [charge, log.usageSource, log.interrupted]);

test("Google's SDK talks through a Gemini channel, and each turn has its own charge and request id", async () => {
  const relay = await open();
  const { ask, heard, session, turns } = await talk(relay, { sessionResumption: {} });
  ask("hello");
  await eventually(() => turns() === 1);
  expect(rows(relay)).toEqual([[turnCost, "upstream", ""]]);
  session.sendClientContent({ turns: "and again" });
  await eventually(() => turns() === 2);
  await eventually(() => heard.at(-1)?.sessionResumptionUpdate?.newHandle !== undefined);
  session.close();
  await eventually(() => relay.money.held === 0);

  expect(rows(relay)).toEqual([
    [turnCost, "upstream", ""],
    [turnCost, "upstream", ""],
  ]);
  const logs = relay.money.settled.map(({ log }) => log);
  expect(new Set(logs.map(({ requestId }) => requestId)).size).toBe(2);
  expect(logs.map((log) => [log.modelName, log.upstreamModel])).toEqual([
    ["m", "live-upstream"],
    ["m", "live-upstream"],
  ]);
  const words = heard.map(({ serverContent }) => serverContent?.outputTranscription?.text ?? "");
  expect(words.join("")).toStartWith("This is a scripted answer");
  expect(demo.account().calls.map(({ key, model }) => [key, model])).toEqual([
    ["et-1", "live-upstream"],
    ["et-1", "live-upstream"],
  ]);
  expect(relay.money.released).toBe(2);
});

test("sound, cached, tool and thinking tokens of a turn are charged once, each at its own price", async () => {
  const usage = {
    promptTokenCount: 1_000,
    cachedContentTokenCount: 300,
    toolUsePromptTokenCount: 7,
    responseTokenCount: 40,
    thoughtsTokenCount: 20,
    totalTokenCount: 1_040,
    promptTokensDetails: [
      { modality: "TEXT", tokenCount: 500 },
      { modality: "AUDIO", tokenCount: 400 },
      { modality: "IMAGE", tokenCount: 100 },
    ],
    cacheTokensDetails: [{ modality: "AUDIO", tokenCount: 300 }],
    responseTokensDetails: [
      { modality: "TEXT", tokenCount: 10 },
      { modality: "AUDIO", tokenCount: 30 },
    ],
  };
  const relay = await open({ usage, events: 40 });
  const { ask, turns } = await talk(relay);
  ask("look and listen");
  await eventually(() => turns() === 1);

  expect(relay.money.settled[0]?.log.usage).toMatchObject({
    input: 507,
    cacheRead: 300,
    inputAudio: 100,
    inputImage: 100,
    output: 10,
    reasoning: 20,
    outputAudio: 30,
  });
  const cost = 507 * 2 + 300 + 100 * 40 + 100 * 2 + 10 * 8 + 20 * 8 + 30 * 80;
  expect(relay.money.settled[0]?.charge).toBe(cost);
});

test("a turn in which the client runs a tool is one turn, and its call goes through", async () => {
  const call = { name: "get_weather", arguments: { city: "London" } };
  const relay = await open({ callOneOf: [call] });
  const tools = [{ functionDeclarations: [{ name: "get_weather" }] }];
  const { ask, heard, session, turns } = await talk(relay, { tools });
  ask("What is the weather?");
  await eventually(() => heard.some(({ toolCall }) => toolCall !== undefined));
  const [functionCall] = heard.flatMap(({ toolCall }) => toolCall?.functionCalls ?? []);
  expect(functionCall).toMatchObject({ name: call.name, args: call.arguments });
  session.sendToolResponse({
    functionResponses: { id: functionCall?.id ?? "", name: call.name, response: { output: "fog" } },
  });
  await eventually(() => turns() === 1);

  expect(rows(relay)).toEqual([[turnCost, "upstream", ""]]);
});

test("who interrupts the model pays for what it had said, and then for the new turn", async () => {
  const relay = await open({ events: 1_000_000, eventDelayMs: 1 });
  const { ask, heard, turns } = await talk(relay);
  ask("tell me everything");
  await eventually(() => heard.length > 3);
  ask("stop");
  await eventually(() => turns() === 1);

  expect(heard.some(({ serverContent }) => serverContent?.interrupted === true)).toBe(true);
  const [first] = demo.account().calls;
  expect(relay.money.settled[0]?.log.usage.outputAudio).toBe(first?.completionTokens ?? -1);
});

test("a session of v1alpha is one at the upstream, with the key in the header", async () => {
  const asked: (readonly [string, string | null, string])[] = [];
  const upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request, server) {
      const { pathname, search } = new URL(request.url);
      asked.push([pathname, request.headers.get("x-goog-api-key"), search]);
      return server.upgrade(request) ? undefined : new Response("no", { status: 400 });
    },
    websocket: { message: (socket) => void socket.send('{"setupComplete":{}}') },
  });
  stops.push(() => upstream.stop(true));
  const relay = await open({}, { channel: { baseUrl: `http://127.0.0.1:${upstream.port}` } });
  await talk(relay, {}, "v1alpha");

  expect(asked).toEqual([[path.replace("v1beta", "v1alpha"), "sk-upstream-secret-1", ""]]);
});

test("a turn without usage, or with usage that cannot be, is estimated and says so", async () => {
  for (const [usage, source] of [
    [false, "local"],
    [{ promptTokenCount: -5 }, "suspect"],
    [{ promptTokenCount: 1, responseTokenCount: 9_999_999 }, "suspect"],
  ] as const) {
    const relay = await open({ usage });
    const { ask, turns } = await talk(relay);
    ask("hello");
    await eventually(() => turns() === 1);

    const [log] = relay.money.settled.map((each) => each.log);
    expect([log?.usageSource, log?.usage.outputAudio]).toEqual([source, 5]);
    expect(log?.usage.input).toBeGreaterThan(10);
  }
});

test("a session that no quota is left for ends with 1008, before the first turn or the next", async () => {
  const poor = await open({}, { balance: 10 });
  const refused = connect(poor, setup);
  await eventually(() => refused.closes.length === 1);
  expect(refused.closes[0]).toStartWith("1008 insufficient_user_quota: user quota is not enough");
  expect(demo.account().calls.length).toBe(0);

  // The hold of a turn, and of the next one that reads what this one has read and said.
  const hold = 1_000 * 40 + 4_096 * 80;
  const next = hold + 100 * 2 + 5 * 40;
  for (const [left, count] of [
    [turnCost + next, 2],
    [turnCost + next - 1, 1],
  ] as const) {
    const relay = await open({}, { balance: left });
    const { ask, closes, turns } = await talk(relay);
    ask("hello");
    await eventually(() => turns() === 1);
    if (count === 2) {
      await eventually(() => relay.money.held === next);
      expect(closes).toEqual([]);
      continue;
    }
    await eventually(() => closes.length === 1);
    expect([closes[0]?.code, relay.money.held, rows(relay).length]).toEqual([1_008, 0, 1]);
    expect(closes[0]?.reason).toStartWith("insufficient_user_quota");
  }
});

test("an upstream that dies in the middle of a turn ends the session with 1011; what came is charged", async () => {
  const relay = await open({ cut: { after: 3, how: "fin" } });
  const { ask, closes } = await talk(relay);
  ask("hello");
  await eventually(() => closes.length === 1);
  await eventually(() => relay.money.settled.length === 1);

  expect(closes[0]).toMatchObject({ code: 1_011, reason: "stream_interrupted" });
  expect(relay.money.settled[0]?.log).toMatchObject({
    interrupted: "上游中断",
    usageSource: "local",
    usage: { outputAudio: 3 },
  });
  expect(relay.money.held).toBe(0);
});

test("a client that leaves in the middle of a turn pays for what came, and the upstream is left", async () => {
  const relay = await open({ events: 4, hold: "before-done" });
  const { ask, heard, session } = await talk(relay);
  ask("hello");
  await eventually(() => heard.some(({ serverContent }) => serverContent?.generationComplete));
  session.close();
  await eventually(() => relay.money.settled.length === 1);

  expect(relay.money.settled[0]?.log).toMatchObject({
    interrupted: "客户端断开",
    usageSource: "local",
    usage: { outputAudio: 4 },
  });
  await eventually(() => demo.account().totals.aborted === 1);
  expect(relay.money.held).toBe(0);
});

test("a report counts for its own turn alone: not for the next, and not when it comes too late", async () => {
  const says = { serverContent: { modelTurn: { parts: [{ text: "words" }] } } };
  const done = { serverContent: { turnComplete: true } };
  const usageMetadata = { promptTokenCount: 70, responseTokenCount: 3 };
  const answers: object[][] = [
    [{ setupComplete: {} }],
    [
      { ...says, usageMetadata: { promptTokenCount: 60 } },
      { ...done, usageMetadata },
    ],
    [says, done],
    [{ usageMetadata }, says, done],
  ];
  const { relay } = await openTo((send) => {
    for (const message of answers.shift() ?? []) send(message);
  });
  const { ask, turns } = await talk(relay);
  for (const count of [1, 2, 3]) {
    ask("hello");
    await eventually(() => turns() === count);
  }

  expect(
    relay.money.settled.map(({ charge, log }) => [log.usageSource, log.usage.output, charge > 0]),
  ).toEqual([
    ["upstream", 3, true],
    ["local", 2, true],
    ["local", 2, true],
  ]);
  expect(relay.money.settled[0]?.charge).toBe(70 * 2 + 3 * 8);
});

test("a client that leaves while the upstream is connected leaves nothing held or open", async () => {
  const asked = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const { relay, seen } = await openTo(
    () => {},
    async () => {
      asked.resolve();
      await left.promise;
    },
  );
  const { close, closes } = connect(relay, setup);
  await asked.promise;
  expect(relay.money.held).toBeGreaterThan(0);
  close();
  left.resolve();
  await eventually(() => seen.closes === 1);
  await eventually(() => closes.length === 1);
  await eventually(() => relay.money.held === 0);

  expect([relay.money.released, relay.money.settled]).toEqual([2, []]);
});

test("the end of a turn waits until its charge is committed", async () => {
  const relay = await open();
  const { ask, heard, turns } = await talk(relay);
  relay.money.committing = false;
  ask("hello");
  await eventually(() => relay.money.uncommitted() === 1);
  // A fixed time, because nothing is to arrive.
  await Bun.sleep(50);
  expect([heard.length > 5, turns()]).toEqual([true, 0]);
  relay.money.committing = true;
  await eventually(() => turns() === 1);
});
