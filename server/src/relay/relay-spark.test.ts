/** Calls of Xunfei's Spark over WebSocket. */

import { afterEach, expect, test } from "bun:test";
import { eventually } from "#base/testing/waiting.ts";
import { startUpstream } from "#network/testing/upstream.ts";
import { drainMsMax } from "./call/client-disconnect.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { openTestRelay, testChannel, testKey, type TestRelayOptions } from "./testing/relay.ts";
import { callStream, disconnected } from "./testing/stream.ts";
import {
  frameOf,
  type SparkCall,
  sparkAnswer,
  sparkError,
  sparkKey,
  sparkMessage,
  sparkProvider,
  sparkUsage,
  startSpark,
} from "./testing/xunfei.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const model = "generalv3.5";

async function open(
  answer: (call: SparkCall) => unknown,
  channel: Partial<ChannelView> = {},
  more: Omit<TestRelayOptions, "channels"> & { readonly channels?: readonly ChannelView[] } = {},
) {
  const upstream = await startSpark(answer);
  const own = testChannel({
    provider: sparkProvider,
    keys: [sparkKey],
    modelMapping: new Map([["m", model]]),
    ...channel,
    baseUrl: upstream.url,
  });
  const relay = openTestRelay({ ...more, channels: [own, ...(more.channels ?? [])] });
  stops.push(relay.stop, upstream.stop);
  return { relay, upstream };
}

const messages = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Hi" },
];

type Opened = Awaited<ReturnType<typeof open>>["relay"];

async function ask({ url, money }: Opened, body: object = {}, path = "/v1/chat/completions") {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages, ...body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    losses: response.headers.get("x-tollgate-losses") ?? "",
    /** The text of a chat completion, streamed or whole. */
    said: [...text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join(""),
    charges: money.settled.map(({ charge }) => charge),
    sources: money.settled.map(({ log }) => log.usageSource),
  };
}

const charge = 60;
const gemini = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };

test("clients of every format are answered by Spark, whole and streamed, charged what it reports", async () => {
  const { relay, upstream } = await open((call) => call.say(sparkAnswer));
  const chat = { messages, stream: false };
  for (const [path, body, text, end] of [
    ["/v1/chat/completions", chat, /"content":"Hello"/, ""],
    ["/v1/chat/completions", { ...chat, stream: true }, /"content":"Hel"/, "data: [DONE]"],
    ["/v1/responses", { input: "Hi" }, /"text":"Hello"/, ""],
    ["/v1/responses", { input: "Hi", stream: true }, /"delta":"Hel"/, "response.completed"],
    ["/v1/messages", { ...chat, max_tokens: 9 }, /"text":"Hello"/, ""],
    ["/v1/messages", { ...chat, max_tokens: 9, stream: true }, /"text":"Hel"/, "message_stop"],
    ["/v1beta/models/m:generateContent", gemini, /"text":"Hello"/, ""],
    ["/v1beta/models/m:streamGenerateContent?alt=sse", gemini, /"text":"Hel"/, '"STOP"'],
  ] as const) {
    const got = await ask(relay, body, path);

    expect([path, got.status, got.charges.pop(), got.sources.pop()]).toEqual([
      path,
      200,
      charge,
      "upstream",
    ]);
    expect(got.text).toMatch(text);
    expect(got.text).toContain(end);
  }
  // The gateway closes, as the vendor asks for, also if the server keeps the connection.
  await eventually(() => upstream.heard.length === 8);
  expect(new Set(upstream.heard)).toEqual(new Set(["close 1000"]));
  expect(relay.money.settled).toHaveLength(8);
});

test("the question has the app's id, the domain, the settings and the conversation", async () => {
  const { relay, upstream } = await open((call) => call.say(sparkAnswer));
  const said = [
    ...messages,
    { role: "assistant", content: "Hello" },
    { role: "user", content: "Why?" },
  ];
  const user = "u".repeat(40);
  const fields = { messages: said, max_tokens: 100, temperature: 1.5, top_p: 0.5, user };
  const { losses } = await ask(relay, fields);

  expect(upstream.calls[0]?.sent).toEqual({
    header: { app_id: "app1", uid: "u".repeat(32) },
    parameter: { chat: { domain: model, max_tokens: 100, temperature: 1 } },
    payload: { message: { text: said } },
  });
  expect(losses).toContain("top_p");
});

test("an answer is the same however its bytes are cut", async () => {
  let cutBytes = 0;
  const { relay } = await open((call) => call.say(sparkAnswer, cutBytes));
  for (cutBytes of [1, 2, 3, 7, 37]) {
    for (const stream of [false, true]) {
      const got = await ask(relay, { stream });

      expect([got.status, got.said, got.charges.at(-1)]).toEqual([200, "Hello", charge]);
    }
  }
});

test("pings are answered, and messages in several frames are read", async () => {
  const { relay, upstream } = await open((call) => {
    const last = JSON.stringify(sparkMessage(2, { content: "Hello" }, sparkUsage));
    call.write(frameOf("there?", 9));
    call.write(frameOf(last.slice(0, 50), 1, false));
    call.write(frameOf(last.slice(50), 0, true));
  });
  const got = await ask(relay);
  await eventually(() => upstream.heard.length === 2);

  expect([got.said, got.charges, upstream.heard]).toEqual([
    "Hello",
    [charge],
    ["pong there?", "close 1000"],
  ]);
});

test("reasoning and a function's call reach the client, and its result is told in the next turn", async () => {
  const called = { name: "weather", arguments: '{"city":"Paris"}' };
  const { relay, upstream } = await open((call) =>
    call.say([
      sparkMessage(0, { content: "", reasoning_content: "Look outside." }),
      sparkMessage(2, { content: "", function_call: called }, sparkUsage),
    ]),
  );
  const parameters = { type: "object", properties: { city: { type: "string" } } };
  const tools = [
    { type: "function", function: { name: "weather", description: "Tells it.", parameters } },
  ];
  for (const stream of [false, true]) {
    const got = await ask(relay, { tools, stream });

    expect(got.text).toContain('"reasoning_content":"Look outside."');
    expect(got.text).toContain('"name":"weather"');
    expect(got.text).toContain('{\\"city\\":\\"Paris\\"}');
    expect(got.text).toContain('"finish_reason":"tool_calls"');
    expect(got.charges.at(-1)).toBe(charge);
  }
  expect(upstream.calls[0]?.sent["payload"]?.["functions"]).toEqual({
    text: [{ name: "weather", description: "Tells it.", parameters }],
  });
  const tool_calls = [{ id: "call_1", type: "function", function: called }];
  const { losses } = await ask(relay, {
    tools,
    messages: [
      ...messages,
      { role: "assistant", content: "I look.", tool_calls },
      { role: "tool", tool_call_id: "call_1", content: "rain" },
    ],
  });
  expect(upstream.calls.at(-1)?.sent["payload"]?.["message"]).toEqual({
    text: [
      ...messages,
      { role: "assistant", content: 'I look.\nweather({"city":"Paris"})' },
      { role: "user", content: "TOOL: rain" },
    ],
  });
  expect(losses).toContain("tool calls as text");
});

test("pictures and several answers are refused before anything is sent", async () => {
  const { relay, upstream } = await open((call) => call.say(sparkAnswer));
  const image_url = { url: "data:image/png;base64,AA==" };
  const picture = [{ role: "user", content: [{ type: "image_url", image_url }] }];
  for (const body of [{ messages: picture }, { n: 2 }]) {
    expect(await ask(relay, body)).toMatchObject({ status: 400, charges: [] });
  }
  expect(upstream.calls).toEqual([]);
});

/** Another channel, which speaks OpenAI's format. */
async function startSecond(): Promise<ChannelView> {
  const choices = [{ index: 0, message: { role: "assistant", content: "Second" } }];
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const delta = { choices: [{ index: 0, delta: { content: "Second" }, finish_reason: "stop" }] };
  const whole = JSON.stringify({ choices, usage });
  const events = [delta, { choices: [], usage }].map((each) => `data: ${JSON.stringify(each)}\n\n`);
  const upstream = await startUpstream((socket, request) => {
    const isStream = request.includes('"stream":true');
    const type = isStream ? "text/event-stream" : "application/json";
    const body = isStream ? `${events.join("")}data: [DONE]\n\n` : whole;
    socket.end(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nconnection: close\r\n\r\n${body}`);
  });
  stops.push(upstream.stop);
  return testChannel({ id: 2, priority: -1, baseUrl: upstream.url });
}

test("before any output, an error and every kind of end are tried again on the next channel", async () => {
  const ways: readonly ((call: SparkCall) => unknown)[] = [
    (call) => call.say([sparkError(10_008, "service is busy")]),
    (call) => call.say([sparkError(11_202, "licc limit")]),
    (call) => call.say([sparkMessage(0, { content: "" })]).then(() => call.cut()),
    (call) => call.cut(),
    (call) => call.close(1_011),
    (call) => call.say([{}]),
    (call) => call.write(frameOf("no JSON")),
    // Compressed, which was not agreed on.
    (call) => call.write(Buffer.from([0xc1, 1, 0x41])),
  ];
  const second = await startSecond();
  for (const [way, answer] of ways.entries()) {
    const { relay } = await open(answer, {}, { channels: [second] });
    const got = await ask(relay, { stream: way % 2 === 0 });

    expect([way, got.status, got.said, got.charges]).toEqual([way, 200, "Second", [charge]]);
    expect(relay.attempts).toHaveLength(2);
  }
});

test("a whole answer that breaks off is no answer, and the next channel is tried", async () => {
  const { relay } = await open(
    (call) => call.say(sparkAnswer.slice(0, 2)).then(() => call.close(1_000)),
    {},
    { channels: [await startSecond()] },
  );

  expect(await ask(relay)).toMatchObject({ status: 200, said: "Second", charges: [charge] });
});

test("after output, an error and a cut end the stream by the rules of the client's format", async () => {
  for (const end of [
    (call: SparkCall) => call.say([sparkError(10_014, "output is not allowed")]),
    (call: SparkCall) => call.cut(),
    (call: SparkCall) => call.close(1_000),
  ]) {
    for (const [path, closing] of [
      ["/v1/chat/completions", '{"error":'],
      ["/v1/messages", "event: error"],
    ] as const) {
      const { relay } = await open(async (call) => {
        await call.say(sparkAnswer.slice(0, 2));
        await end(call);
      });
      const got = await ask(relay, { stream: true, max_tokens: 9 }, path);

      expect([got.status, got.sources]).toEqual([200, ["local"]]);
      expect(got.text).toContain("Hel");
      expect(got.text).toContain(closing);
      expect(got.text).not.toMatch(/"finish_reason":"|message_stop/);
      expect(got.charges[0]).toBeGreaterThan(0);
      expect(relay.money.held).toBe(0);
    }
  }
});

test("P-K2 T11: a client that leaves closes the socket, and is billed for what came", async () => {
  const { relay, upstream } = await open((call) =>
    call.say([sparkMessage(0, { content: "Hello..." })]),
  );
  const client = callStream(relay);
  await eventually(() => client.text().includes("Hello"));
  client.leave();
  await disconnected(relay, 1);
  expect(upstream.open()).toBe(1);
  relay.skipMs += drainMsMax;
  await eventually(() => upstream.open() === 0);
  await eventually(() => relay.money.settled.length === 1);

  // With the tests' tokenizer the prompt has 8 tokens at 2 units, and the piece 2 at 8.
  expect(relay.money.settled.map(({ charge: billed }) => billed)).toEqual([8 * 2 + 2 * 8]);
  expect(relay.money.held).toBe(0);
});

test("a server that answers nothing is given up when the channel's limit is over", async () => {
  const limits = {
    connectMs: 5_000,
    firstByteMs: 60_000,
    betweenChunksMs: 1_000,
    totalMs: 600_000,
  };
  const { relay, upstream } = await open(() => {}, { limits });
  const asked = ask(relay);
  await eventually(() => upstream.calls.length === 1);
  relay.skipMs += 1_000;

  expect(await asked).toMatchObject({ status: 504, charges: [] });
  await eventually(() => upstream.open() === 0);
  expect(relay.money.held).toBe(0);
});

test("an address that is not allowed is not connected to", async () => {
  const { relay, upstream } = await open(
    (call) => call.say(sparkAnswer),
    {},
    {
      allows: () => false,
    },
  );

  expect((await ask(relay)).status).toBe(502);
  expect(upstream.calls).toEqual([]);
});

test("a wrong secret disables the key, and one of another form is named", async () => {
  for (const [key, disabled] of [
    ["app1|another-secret|the-key", 1],
    ["password", 0],
  ] as const) {
    const { relay, upstream } = await open((call) => call.say(sparkAnswer), { keys: [key] });
    const got = await ask(relay);

    expect([key, got.status, got.charges, upstream.calls]).toEqual([key, 503, [], []]);
    expect([key, relay.disabled.length]).toEqual([key, disabled]);
  }
});

test("an account without money disables the key; other errors of Spark do not", async () => {
  for (const [code, disabled] of [
    [11_200, 1],
    [10_313, 1],
    [10_010, 0],
    [11_203, 0],
    [10_163, 0],
  ] as const) {
    const { relay } = await open((call) => call.say([sparkError(code, "no")]));
    const got = await ask(relay);

    expect([code, got.charges, relay.disabled.length]).toEqual([code, [], disabled]);
  }
});

test("refused content, a prompt that is too long and a wrong form are the call's fault, told and not tried again", async () => {
  for (const code of [10_013, 10_907, 10_004]) {
    for (const stream of [false, true]) {
      const { relay } = await open(
        (call) => call.say([sparkError(code, "change the input")]),
        {},
        { channels: [await startSecond()] },
      );
      const got = await ask(relay, { stream });

      expect([got.status, got.charges, relay.attempts.length]).toEqual([400, [], 1]);
      expect(got.text).toContain("change the input");
      expect(relay.money.held).toBe(0);
    }
  }
});

test("a parameter override may raise the output limit only with quota for it", async () => {
  const paramOverride = { parameter: { chat: { max_tokens: 100_000 } } };
  const { relay, upstream } = await open(
    (call) => call.say(sparkAnswer),
    { paramOverride },
    { balance: 50_000 },
  );
  const got = await ask(relay, { max_tokens: 10 });

  expect([got.status, got.charges, upstream.calls]).toEqual([403, [], []]);
});
