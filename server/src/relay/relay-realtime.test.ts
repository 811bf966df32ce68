/** Realtime sessions through the relay: both ends of other programs, the relay between them. */

import { afterEach, expect, test } from "bun:test";
import { eventually } from "#base/testing/waiting.ts";
import type { Json } from "#base/json.ts";
import { openTestRelay, testChannel, testKey, type TestRelayOptions } from "./testing/relay.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Event = Readonly<Record<string, Json>>;

/** Opens a relay and an upstream that does with each message of the client what the test says. */
function open(
  answer: (message: Event, send: (event: object) => void, close: (code: number) => void) => void,
  options: Omit<TestRelayOptions, "channels"> = {},
) {
  const got: Event[] = [];
  const heads: Request[] = [];
  const ends: number[] = [];
  let onHead = (): void => {};
  const upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request, server) {
      heads.push(request);
      onHead();
      if (request.url.includes("refused")) return new Response("no", { status: 403 });
      return server.upgrade(request) ? undefined : new Response("no", { status: 400 });
    },
    websocket: {
      open: (socket) => void socket.send(JSON.stringify({ type: "session.created" })),
      message(socket, text) {
        const message = JSON.parse(String(text)) as Event;
        got.push(message);
        answer(
          message,
          (event) => void socket.send(JSON.stringify(event)),
          (code) => socket.close(code),
        );
      },
      close: (_socket, code) => void ends.push(code),
    },
  });
  const models = new Set(["m", "other", "long"]);
  const relay = openTestRelay({
    channels: [
      testChannel({
        baseUrl: `http://127.0.0.1:${upstream.port}`,
        models,
        modelMapping: new Map([
          ["m", "gpt-realtime"],
          ["other", "refused"],
        ]),
      }),
    ],
    ...options,
  });
  stops.push(relay.stop, () => upstream.stop(true));
  return { relay, got, heads, ends, onHead: (then: () => void) => void (onHead = then) };
}

/** Connects as a browser does, with the key in a subprotocol. */
function connect(url: string, model = "m") {
  const address = `${url.replace("http", "ws")}/v1/realtime?model=${model}`;
  const socket = new WebSocket(address, ["realtime", `openai-insecure-api-key.${testKey}`]);
  const events: Event[] = [];
  const closed: number[] = [];
  socket.addEventListener("message", ({ data }) => {
    events.push(JSON.parse(String(data)) as Event);
  });
  socket.addEventListener("close", ({ code }) => void closed.push(code));
  const send = (event: object) => socket.send(JSON.stringify(event));
  const types = () => events.map(({ type }) => type);
  const arrived = async (type: string, count = 1) =>
    await eventually(() => types().filter((each) => each === type).length >= count);
  return { socket, events, closed, send, types, arrived };
}

const usage = {
  total_tokens: 30,
  input_tokens: 20,
  output_tokens: 10,
  input_token_details: {
    text_tokens: 12,
    audio_tokens: 8,
    cached_tokens: 6,
    cached_tokens_details: { text_tokens: 2, audio_tokens: 4 },
  },
  output_token_details: { text_tokens: 3, audio_tokens: 7 },
};
// Text 10 × 2, cached 6 × 1, sound heard 4 × 40, text said 3 × 8, sound said 7 × 80.
const cost = 20 + 6 + 160 + 24 + 560;

function respond(report: object | undefined) {
  return ({ type }: Event, send: (event: object) => void) => {
    if (type !== "response.create") return;
    send({ type: "response.created" });
    send({ type: "response.output_audio.delta", delta: "A".repeat(6_400) });
    send({ type: "response.done", response: { status: "completed", usage: report } });
  };
}

test("each response is charged as it ends, under its own request id, while the session goes on", async () => {
  const { relay, got, heads } = open(respond(usage));
  const { socket, send, arrived, types } = connect(relay.url);
  await arrived("session.created");
  expect(socket.protocol).toBe("realtime");
  send({ type: "response.create" });
  await arrived("response.done");
  expect(relay.money.settled.length).toBe(1);
  send({ type: "response.create" });
  await arrived("response.done", 2);
  socket.close();
  await eventually(() => relay.money.held === 0);

  expect(
    relay.money.settled.map(({ charge, log }) => [charge, log.usageSource, log.upstreamModel]),
  ).toEqual([
    [cost, "upstream", "gpt-realtime"],
    [cost, "upstream", "gpt-realtime"],
  ]);
  expect(new Set(relay.money.settled.map(({ log }) => log.requestId)).size).toBe(2);
  expect(relay.money.released).toBe(1);
  expect([got.length, types().length]).toEqual([2, 7]);
  const [head] = heads;
  expect([new URL(head?.url ?? "").search, head?.headers.get("authorization")]).toEqual([
    "?model=gpt-realtime",
    "Bearer sk-upstream-secret-1",
  ]);
});

test("T33: no message changes the model of a session, or has speech read by one without a price", async () => {
  const { relay, got } = open(() => {});
  const { send, events, arrived, socket } = connect(relay.url);
  await arrived("session.created");
  for (const event of [
    { type: "session.update", session: { model: "gpt-realtime-expensive" } },
    { type: "session.update", session: { input_audio_transcription: { model: "unpriced" } } },
    {
      type: "session.update",
      session: { audio: { input: { transcription: { model: "unpriced" } } } },
    },
    { type: "response.create", response: { model: "other" } },
  ]) {
    send(event);
  }
  socket.send(
    '{"type":"input_audio_buffer.commit","type":"session.update","session":{"model":"x"}}',
  );
  socket.send('{"Type":"session.update","session":{"model":"x"}}');
  socket.send(new Uint8Array([1, 2]));
  send({ type: "session.update", session: { model: "m", voice: "ash" } });
  await eventually(() => got.length === 1);
  await arrived("error", 7);

  expect(got).toEqual([
    { type: "session.update", session: { model: "gpt-realtime", voice: "ash" } },
  ]);
  expect(events.filter(({ type }) => type === "error").length).toBe(7);
  socket.close();
  await eventually(() => relay.money.held === 0);
  expect(relay.money.settled).toEqual([]);
});

test("speech that another model transcribes is charged as a call of that model", async () => {
  const { relay } = open(({ type }, send) => {
    if (type !== "input_audio_buffer.commit") return;
    const report = { type: "duration", seconds: 60 };
    send({
      type: "conversation.item.input_audio_transcription.completed",
      transcript: "hi",
      usage: report,
    });
  });
  const { socket, send, arrived } = connect(relay.url);
  await arrived("session.created");
  send({ type: "session.update", session: { input_audio_transcription: { model: "tts-1" } } });
  send({ type: "input_audio_buffer.commit" });
  await arrived("conversation.item.input_audio_transcription.completed");
  socket.close();
  await eventually(() => relay.money.held === 0);

  expect(relay.money.settled.map(({ charge, log }) => [charge, log.modelName])).toEqual([
    [2_000, "tts-1"],
  ]);
});

test("P-M4: hostile or missing usage is replaced by the gateway's own count", async () => {
  const reports: (object | undefined)[] = [
    undefined,
    { input_tokens: -1, output_tokens: 3 },
    { input_tokens: 1, output_tokens: 9_999_999 },
  ];
  const sources = ["local", "suspect", "suspect"] as const;
  for (const [at, report] of reports.entries()) {
    const { relay } = open(respond(report));
    const { send, arrived } = connect(relay.url);
    await arrived("session.created");
    send({ type: "response.create" });
    await arrived("response.done");

    const [settled] = relay.money.settled;
    expect([settled?.log.usageSource, settled?.log.usage.outputAudio]).toEqual([sources[at], 2]);
  }
});

test("a session whose next response no quota is left for ends with an error and 1008", async () => {
  const { relay } = open(respond(usage), { balance: 370_000 });
  const { send, arrived, closed, events } = connect(relay.url);
  await arrived("session.created");
  relay.money.balance = 367_680 + 10;
  send({ type: "response.create" });
  await eventually(() => closed.length === 1);

  expect(closed).toEqual([1_008]);
  expect(events.at(-1)).toMatchObject({
    type: "error",
    error: { code: "insufficient_user_quota" },
  });
  expect([relay.money.settled.length, relay.money.held]).toEqual([1, 0]);
});

test("a client that leaves in the middle of a response pays for what was said", async () => {
  const { relay, ends } = open(({ type }, send) => {
    if (type !== "response.create") return;
    send({ type: "response.created" });
    send({ type: "response.output_audio.delta", delta: "A".repeat(640_000) });
  });
  const { socket, send, arrived } = connect(relay.url);
  await arrived("session.created");
  send({ type: "response.create" });
  await arrived("response.output_audio.delta");
  socket.close();
  await eventually(() => relay.money.settled.length === 1);

  expect(relay.money.settled[0]?.log).toMatchObject({
    interrupted: "客户端断开",
    usageSource: "local",
    usage: { outputAudio: 139 },
  });
  await eventually(() => ends.length === 1);
  expect([relay.money.held, ends]).toEqual([0, [1_000]]);
});

test("an upstream that closes closes its client, with its code", async () => {
  const { relay } = open((_message, _send, close) => close(4_009));
  const { send, arrived, closed } = connect(relay.url);
  await arrived("session.created");
  send({ type: "anything" });
  await eventually(() => closed.length === 1);

  expect(closed).toEqual([4_009]);
  await eventually(() => relay.money.held === 0);
});

test("a shutdown ends sessions with 1001, and a disabled user's with 1008", async () => {
  const { relay } = open(() => {});
  const first = connect(relay.url);
  await first.arrived("session.created");
  relay.callers.user = { status: 2 };
  relay.relay.callersChanged();
  await eventually(() => first.closed.length === 1);
  relay.callers.user = {};
  const second = connect(relay.url);
  await second.arrived("session.created");
  await relay.relay.drain();
  await eventually(() => second.closed.length === 1);

  expect([first.closed, second.closed, relay.money.held]).toEqual([[1_008], [1_001], 0]);
});

test("a user who is disabled while the upstream is connected gets no session", async () => {
  const { relay, onHead } = open(() => {});
  onHead(() => {
    relay.callers.user = { status: 2 };
    relay.relay.callersChanged();
  });
  const { closed } = connect(relay.url);
  await eventually(() => closed.length === 1);

  expect([closed, relay.money.held]).toEqual([[1_008], 0]);
});

test("who has no key, no quota or no model is refused before an upstream is asked", async () => {
  const { relay, heads } = open(() => {}, { balance: 10 });
  const upgrade = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  const ask = async (query: string, headers: Record<string, string>) =>
    (await fetch(`${relay.url}/v1/realtime${query}`, { headers: { ...upgrade, ...headers } }))
      .status;
  const key = { authorization: `Bearer ${testKey}` };

  expect([
    await ask("?model=m", {}),
    await ask("?model=m", { authorization: "Bearer sk-wrong" }),
    await ask("", key),
    await ask("?model=m", key),
    await ask("?model=nothing", key),
  ]).toEqual([401, 401, 400, 403, 404]);
  expect([heads.length, relay.money.held]).toEqual([0, 0]);
});

test("T25: a response whose prompt nobody knows yet is held at the price of long prompts", async () => {
  const heldFor = async (model: string): Promise<number> => {
    const { relay } = open(() => {});
    const { socket, arrived } = connect(relay.url, model);
    await arrived("session.created");
    const { held } = relay.money;
    socket.close();
    await eventually(() => relay.money.held === 0);
    return held;
  };
  // 1,000 tokens of sound cost 40 each, and twice that in a long prompt; what is said half more.
  const heard = 40_000;
  const said = (await heldFor("m")) - heard;
  expect(said).toBeGreaterThan(0);
  expect(await heldFor("long")).toBe(2 * heard + 1.5 * said);
});

test("an upstream that refuses the session is an error, and nothing stays held", async () => {
  const { relay, heads } = open(() => {});
  const { closed } = connect(relay.url, "other");
  await eventually(() => closed.length === 1);

  expect([heads.length, relay.money.held, relay.money.released]).toEqual([1, 0, 1]);
  expect(relay.money.settled).toEqual([]);
});

// A proxy in front may have checked the key that the gateway does not use.
test("a key in a subprotocol beside another key is refused", async () => {
  const { relay } = open(respond(usage));
  const ask = async (headers: Record<string, string>, keys: readonly string[]) => {
    const offered = keys.map((key) => `openai-insecure-api-key.${key}`);
    const response = await fetch(`${relay.url}/v1/realtime?model=m`, {
      headers: { ...headers, "sec-websocket-protocol": ["realtime", ...offered].join(", ") },
    });
    return [response.status, (await response.text()).includes("两个不同的密钥")];
  };
  for (const name of ["authorization", "x-api-key", "api-key"]) {
    expect(await ask({ [name]: "sk-other" }, [testKey]), name).toEqual([400, true]);
    expect((await ask({ [name]: testKey }, [testKey]))[1], name).toBeFalse();
  }
  expect(await ask({}, [testKey, "sk-other"])).toEqual([400, true]);
});

test("a session names nothing that its upstream keeps for others, unless ids are shared", async () => {
  const { relay, got } = open(respond(usage));
  const { send, arrived, events } = connect(relay.url);
  await arrived("session.created");
  const named: readonly Event[] = [
    { type: "session.update", session: { prompt: { id: "pmpt_1" } } },
    { type: "response.create", response: { prompt: { id: "pmpt_1" } } },
    { type: "session.update", session: { audio: { output: { voice: { id: "voice_1" } } } } },
    {
      type: "conversation.item.create",
      item: { type: "message", content: [{ type: "input_image", file_id: "file-1" }] },
    },
  ];
  for (const message of named) send(message);
  await arrived("error", named.length);
  const codes = events.flatMap(({ error }) => {
    const { code } = (error ?? {}) as Readonly<Record<string, Json>>;
    return code === undefined ? [] : [code];
  });
  expect(codes).toEqual(named.map(() => "id_not_yours"));
  expect(got).toEqual([]);
  const plain = { type: "session.update", session: { voice: "alloy", prompt: null } };
  send(plain);
  await eventually(() => got.length > 0);
  expect(got).toEqual([plain]);
});
