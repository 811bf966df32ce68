/** Who may open a session of Gemini's Live API, with which model, and how it ends. */

import { expect, test } from "bun:test";
import type { LiveServerMessage } from "@google/genai";
import { eventually } from "#test/upstreams/client.ts";
import { testKey } from "#relay/testing/relay.ts";
import { connect, path, question, setup, startLiveScene } from "./live-scene.ts";

/** The head of a request for a WebSocket. */
const headers = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};

const { demo, open, openTo, talk } = startLiveScene();

test("T33: a model that the key or the gateway does not have is refused by a close that says why", async () => {
  const relay = await open({}, { token: { modelLimits: new Set(["m", "unpriced", "nothing"]) } });
  for (const [first, close] of [
    [{ setup: { model: "models/other" } }, "1008 model_not_allowed"],
    [{ setup: { model: "models/nothing" } }, "1008 model_not_found"],
    [{ setup: { model: "models/unpriced" } }, "1008 model_price_error"],
    [{ setup: {} }, "1007 invalid_request"],
    [question, "1007 invalid_request"],
    ['{"setup":{"model":"models/m","model":"models/other"}}', "1007 invalid_request"],
    ['{"setup":{"model":"models/m"},"setup":{"model":"models/other"}}', "1007 invalid_request"],
    ["not JSON", "1007 invalid_request"],
  ] as const) {
    const { closes } = connect(relay, first);
    await eventually(() => closes.length === 1);
    expect(closes[0]).toStartWith(close);
  }
  expect([demo.account().calls.length, relay.money.held, relay.attempts]).toEqual([0, 0, []]);
});

test("T33: a second setup, however it is written, ends the session before the upstream sees it", async () => {
  const relay = await open();
  for (const second of [
    { setup: { model: "models/expensive" } },
    '{"\\u0073etup":{"model":"models/expensive"}}',
    '{"Setup":{"model":"models/expensive"}}',
  ]) {
    const { closes, messages, send } = connect(relay, setup);
    await eventually(() => messages() === 1);
    send(second);
    await eventually(() => closes.length === 1);
    expect(closes[0]).toStartWith("1007 invalid_message: setup is sent once");
  }
  await eventually(() => relay.money.held === 0);
  expect([relay.money.settled, relay.money.released]).toEqual([[], 6]);
});

test("who has no key or an unknown one is refused at the upgrade, in Gemini's form", async () => {
  const relay = await open();
  for (const query of ["", "?key=sk-wrong"]) {
    const answer = await fetch(relay.url + path + query, { headers });
    expect([answer.status, await answer.json()]).toMatchObject([401, { error: { code: 401 } }]);
  }
  const other = await fetch(`${relay.url}${path}Constrained?access_token=x`, { headers });
  expect([other.status, await other.json()]).toMatchObject([426, { error: { code: 426 } }]);
});

test("a disabled user's session ends with 1008 and a shutdown with 1001, also before the setup", async () => {
  for (const first of [setup, null]) {
    const relay = await open();
    const before = connect(relay, first);
    await eventually(() => (first === null ? before.isOpen() : before.messages() === 1));
    relay.callers.user = { status: 2 };
    relay.relay.callersChanged();
    await eventually(() => before.closes.length === 1);
    expect(before.closes[0]).toStartWith("1008 user_disabled");
    relay.callers.user = {};
    const after = connect(relay, first);
    await eventually(() => (first === null ? after.isOpen() : after.messages() === 1));
    await relay.relay.drain();
    await eventually(() => after.closes.length === 1);
    expect(after.closes[0]).toStartWith("1001 shutting_down");
    expect(relay.money.held).toBe(0);
  }
});

test("a client that sends no setup is asked to, and leaves its place to others", async () => {
  const relay = await open({}, { options: { callsAtOnce: { perUser: 1, perToken: 0 } } });
  const silent = connect(relay, null);
  await eventually(silent.isOpen);
  const refused = await fetch(`${relay.url}${path}?key=${testKey}`, { headers });
  expect(refused.status).toBe(429);
  relay.skipMs += 31_000;
  await eventually(() => silent.closes.length === 1);
  expect(silent.closes[0]).toStartWith("1008 request_timeout: no setup came");
  const next = connect(relay, setup);
  await eventually(() => next.messages() === 1);
});

test.each([
  ["of several keys", ["AIza-first", "AIza-second"]],
  ["of one key", ["AIza-first"]],
])(
  "a session is continued at the channel and key that began it, by its own user alone: %s",
  async (_, keys) => {
    const relay = await open({}, { channel: { keys } });
    const first = await talk(relay, { sessionResumption: {} });
    first.ask("hello");
    const handleOf = (heard: readonly LiveServerMessage[]) =>
      heard.at(-1)?.sessionResumptionUpdate?.newHandle;
    await eventually(() => handleOf(first.heard) !== undefined);
    const handle = handleOf(first.heard) ?? "";
    for (let count = 0; count < 3; count += 1) {
      const again = await talk(relay, { sessionResumption: { handle } });
      again.ask("go on");
      await eventually(() => again.turns() === 1);
    }
    expect(new Set(demo.account().calls.map(({ key }) => key)).size).toBe(1);
    const file = "https://generativelanguage.googleapis.com/v1beta/files/1";
    const cached = {
      model: "models/m",
      systemInstruction: { parts: [{ fileData: { fileUri: file } }] },
    };
    const named = connect(relay, { setup: cached });
    await eventually(() => named.closes.length === 1);
    expect(named.closes[0]).toStartWith("1007 id_not_yours");

    relay.issuers.note(["of another"], { userId: 99, channelId: 1, key: "AIza-first" });
    for (const theirs of ["of another", "of nobody here"]) {
      const resumed = { model: "models/m", session_resumption: { handle: theirs } };
      const { closes } = connect(relay, { setup: resumed });
      await eventually(() => closes.length === 1);
      expect(closes[0]).toStartWith("1007 id_not_yours");
    }
  },
);

test("a user who is disabled while the upstream is connected gets no session", async () => {
  const asked = Promise.withResolvers<void>();
  const disabled = Promise.withResolvers<void>();
  const { relay, seen } = await openTo(
    () => {},
    async () => {
      asked.resolve();
      await disabled.promise;
    },
  );
  const { closes } = connect(relay, setup);
  await asked.promise;
  relay.callers.user = { status: 2 };
  relay.relay.callersChanged();
  disabled.resolve();
  await eventually(() => closes.length === 1);
  await eventually(() => seen.closes === 1);

  expect(closes[0]).toStartWith("1008 user_disabled");
  expect([relay.money.held, relay.money.released]).toEqual([0, 2]);
});

test("sessions count in the limit of calls in a time, and an upstream that refuses ends them", async () => {
  const requestLimit = { windowMs: 60_000, total: 1, successes: 0 };
  const channel = { baseUrl: `${demo.url}/refused`, keys: ["sk-demo-bad"] };
  const relay = await open({}, { channel, options: { requestLimit } });
  const { closes } = connect(relay, setup);
  await eventually(() => closes.length === 1);
  const second = await fetch(`${relay.url}${path}?key=${testKey}`, { headers });

  expect(closes[0]).toStartWith("1011 upstream_error");
  expect([second.status, relay.money.held, relay.money.released]).toEqual([429, 0, 2]);
  expect(relay.attempts).toEqual(["1 m status-401"]);
});
