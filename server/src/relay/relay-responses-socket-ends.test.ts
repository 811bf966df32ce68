/** WebSockets for responses: how they are opened, limited and ended. */

import type { Socket } from "node:net";
import { afterEach, describe, expect, test } from "bun:test";
import { openByteBudget } from "#base/memory/byte-budget.ts";
import { eventually } from "#base/testing/waiting.ts";
import type { JsonObject } from "#base/json.ts";
import { startUpstream } from "#network/testing/upstream.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { openTestRelay, testChannel, type TestRelayOptions } from "./testing/relay.ts";
import { connectResponses, responseId } from "./testing/responses-socket.ts";
import { streamHead, wholeStream, words } from "./testing/stream.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A server of the chat format alone, as most compatible ones are. */
const chatOnly: Provider = {
  ...openai,
  formats: { "openai-chat": { paths: { chat: "/v1/chat/completions" }, asksForUsage: true } },
};

type Given = Omit<TestRelayOptions, "channels"> & { readonly provider?: Provider };

/** Opens a relay and an upstream, which answers each call as the test says. */
async function open(
  { provider = chatOnly, ...given }: Given,
  answer: (socket: Socket, body: JsonObject) => void = (socket) =>
    void socket.end(streamHead + wholeStream),
) {
  const bodies: JsonObject[] = [];
  const upstream = await startUpstream((socket, request) => {
    const body = JSON.parse(request.slice(request.indexOf("\r\n\r\n") + 4)) as JsonObject;
    bodies.push(body);
    answer(socket, body);
  });
  const channels = [testChannel({ baseUrl: upstream.url, provider, sharesIds: true })];
  const relay = openTestRelay({ ...given, channels });
  stops.push(relay.stop, upstream.stop);
  return { relay, upstream, bodies };
}

const user = (text: string) => ({ type: "message", role: "user", content: text });
const errorOf = ({ error }: JsonObject): JsonObject => (error ?? {}) as JsonObject;

describe("a WebSocket for responses", () => {
  test("answers what it does not understand with an error event, and goes on", async () => {
    const { relay } = await open({});
    const client = connectResponses(relay.url);
    await eventually(() => client.socket.readyState === WebSocket.OPEN);
    const wrong: readonly (readonly [unknown, string | null])[] = [
      ["not JSON", null],
      ["[]", null],
      [new Uint8Array([1, 2]), null],
      ['{"type":"session.update"}', "type"],
      ["{}", "type"],
      ['{"type":"response.create","model":"m","input":"hi","background":true}', "background"],
      ['{"type":"response.create","previous_response_id":7}', "previous_response_id"],
      ['{"type":"response.create","model":"m","input":7}', "input"],
      [`{"type":"response.create","stream_id":"${"x".repeat(200)}"}`, "stream_id"],
      [`{"type":"response.create","model":"m","input":${"[".repeat(100)}${"]".repeat(100)}}`, null],
    ];
    for (const [at, [message, param]] of wrong.entries()) {
      client.socket.send(message as string);
      const error = await client.ended(at + 1);
      expect([error["status"], errorOf(error)["param"]], String(message)).toEqual([400, param]);
    }
    client.send({ type: "response.processed", response_id: "resp_1" });
    client.send({ type: "response.steer", previous_response_id: "resp_1", input: "stop" });
    await eventually(() => client.types().includes("response.steer.failed"));
    client.create({ input: "hi" });
    expect((await client.ended(wrong.length + 1))["type"]).toBe("response.completed");
  });

  test("whose user or token is revoked in mid-turn ends with the error, billed for what came", async () => {
    for (const [change, status] of [
      [{ user: { status: 2 } }, 403],
      [{ token: null }, 401],
    ] as const) {
      const { relay } = await open(
        {},
        (socket) => void socket.write(streamHead + words("Hello...")),
      );
      const client = connectResponses(relay.url);
      client.create({ input: "hi" });
      await eventually(() => client.types().includes("response.output_text.delta"));
      Object.assign(relay.callers, change);
      relay.relay.callersChanged();
      await eventually(() => client.closed.length === 1);

      const last = client.events.at(-1) ?? {};
      expect([last["type"], last["status"], client.closed]).toEqual(["error", status, [1_008]]);
      expect(relay.money.settled.length).toBe(1);
      expect([relay.money.held, relay.relay.open()]).toEqual([0, 0]);
    }
  });

  test("that waits for a turn ends at once when its user is revoked", async () => {
    const { relay } = await open({});
    const client = connectResponses(relay.url);
    client.create({ input: "hi" });
    await client.ended();
    relay.callers.user = { status: 2 };
    relay.relay.callersChanged();
    await eventually(() => client.closed.length === 1);

    expect([client.events.at(-1)?.["status"], client.closed]).toEqual([403, [1_008]]);
  });

  test("judges the key anew for each response", async () => {
    const { relay } = await open({});
    const client = connectResponses(relay.url);
    client.create({ input: "hi" });
    await client.ended();
    relay.callers.token = { modelLimits: new Set(["other"]) };
    client.create({ input: "hi" });

    expect((await client.ended(2))["status"]).toBe(403);
  });

  test("obeys the limits of calls at once and of calls a minute", async () => {
    const waiting: Socket[] = [];
    const hold = (socket: Socket): void => void waiting.push(socket);
    const { relay } = await open({ options: { callsAtOnce: { perUser: 1, perToken: 0 } } }, hold);
    const client = connectResponses(relay.url);
    client.create({ input: "hi" });
    client.create({ input: "hi", stream_id: "b" });
    expect((await client.ended())["status"]).toBe(429);

    const requestLimit = { windowMs: 60_000, total: 1, successes: 0 };
    const { relay: limited } = await open({ options: { requestLimit } });
    const second = connectResponses(limited.url);
    second.create({ input: "hi" });
    await second.ended();
    second.create({ input: "hi" });
    expect((await second.ended(2))["status"]).toBe(429);
  });

  test("lets the response that runs end when the server stops, and begins no other", async () => {
    const waiting: Socket[] = [];
    const { relay, bodies } = await open({}, (socket) => void waiting.push(socket));
    const client = connectResponses(relay.url);
    const idle = connectResponses(relay.url);
    await eventually(() => idle.socket.readyState === WebSocket.OPEN);
    client.create({ input: "hi" });
    client.create({ input: "later" });
    await eventually(() => bodies.length === 1);
    const drained = relay.relay.drain();
    await eventually(() => idle.closed.length === 1);
    expect((await client.ended())["status"]).toBe(503);
    client.create({ input: "too late" });
    expect((await client.ended(2))["status"]).toBe(503);
    for (const socket of waiting) socket.end(streamHead + wholeStream);
    expect((await client.ended(3))["type"]).toBe("response.completed");
    await drained;
    await eventually(() => client.closed.length === 1);

    expect([idle.closed, client.closed, bodies.length]).toEqual([[1_001], [1_001], 1]);
    expect(idle.events).toEqual([]);
  });

  test("whose client leaves in mid-turn pays for what came", async () => {
    const { relay } = await open({}, (socket) => void socket.write(streamHead + words("Hello...")));
    const client = connectResponses(relay.url);
    client.create({ input: "hi" });
    await eventually(() => client.types().includes("response.output_text.delta"));
    client.socket.close();
    await eventually(() => relay.relay.open() === 1 && client.closed.length === 1);
    relay.skipMs += 6_000;
    await eventually(() => relay.money.settled.length === 1);

    expect(relay.money.settled[0]?.log.interrupted).toBe("客户端断开");
    expect(relay.money.held).toBe(0);
  });

  test("ends with 1009 at a message that is larger than a body may be", async () => {
    const { relay, bodies } = await open({ options: { bodyBytesMax: 10_000 } });
    const client = connectResponses(relay.url);
    client.create({ input: "x".repeat(20_000) });
    await eventually(() => client.closed.length === 1);
    expect([client.closed, bodies.length]).toEqual([[1_009], 0]);
  });

  test("refuses a conversation that is larger than a body may be with 413, and goes on", async () => {
    const { relay, bodies } = await open({ options: { bodyBytesMax: 10_000 } });
    const client = connectResponses(relay.url);
    client.create({ input: [user("x".repeat(6_000))] });
    const first = await client.ended();
    client.create({ previous_response_id: responseId(first), input: [user("y".repeat(6_000))] });
    expect((await client.ended(2))["status"]).toBe(413);
    client.create({ input: "hi" });
    expect((await client.ended(3))["type"]).toBe("response.completed");
    expect(bodies.length).toBe(2);
  });

  test("is closed after half an hour without a turn, and begins none after an hour", async () => {
    const { relay } = await open({ stillConnections: true });
    const idle = connectResponses(relay.url);
    await eventually(() => idle.socket.readyState === WebSocket.OPEN);
    relay.skipMs += 31 * 60_000;
    await eventually(() => idle.closed.length === 1);

    const client = connectResponses(relay.url);
    for (let count = 1; count <= 3; count += 1) {
      client.create({ input: "hi" });
      await client.ended(count);
      relay.skipMs += 25 * 60_000;
    }
    client.create({ input: "hi" });
    const last = await client.ended(4);
    await eventually(() => client.closed.length === 1);
    expect(errorOf(last)["code"]).toBe("websocket_connection_limit_reached");
    expect(idle.closed).toEqual([1_001]);
  });

  test("holds no more for its conversations than the budget allows, and frees it at its close", async () => {
    const budget = openByteBudget(4 * 1024 * 1024);
    const { relay } = await open({ budget, options: { bodyBytesMax: 400_000 } });
    const clients = Array.from({ length: 60 }, () => connectResponses(relay.url));
    const text = "x".repeat(200_000);
    for (const count of [1, 2]) {
      for (const client of clients) {
        client.create({ generate: false, input: [user(text)] });
        await client.ended(count);
      }
    }

    expect(budget.bytes).toBeGreaterThan(200_000);
    expect(budget.bytes).toBeLessThanOrEqual(1024 * 1024);
    for (const { socket } of clients) socket.close();
    await eventually(() => budget.bytes === 0);
    expect(budget.byOwner.size).toBe(0);
  });
});

describe("a request for a WebSocket", () => {
  const upgrade = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };

  test("gets 426 and JSON at once where responses have none, or it is turned off, and 401 without a key", async () => {
    const { relay } = await open({});
    const { relay: off } = await open({ options: { takesResponsesSockets: false } });
    const ask = async (url: string, headers: Record<string, string>) => {
      const response = await fetch(url, { headers });
      const { error } = (await response.json()) as { error: JsonObject };
      return [response.status, error["code"]];
    };

    expect(await ask(`${off.url}/v1/responses`, upgrade)).toEqual([426, "upgrade_required"]);
    expect(await ask(`${relay.url}/v1/responses`, {})).toEqual([426, "upgrade_required"]);
    expect(await ask(`${relay.url}/v1/chat/completions`, upgrade)).toEqual([
      426,
      "upgrade_required",
    ]);
    expect(await ask(`${relay.url}/v1/conversations`, upgrade)).toEqual([426, "upgrade_required"]);
    expect((await ask(`${relay.url}/v1/responses`, upgrade))[0]).toBe(401);
    expect((await ask(`${relay.url}/v1/chat/completions`, {}))[0]).toBe(404);
  });

  test("ends its socket when it is turned off meanwhile", async () => {
    const { relay } = await open({});
    const client = connectResponses(relay.url);
    client.create({ input: "hi" });
    await client.ended();
    Object.assign(relay.options, { takesResponsesSockets: false });
    client.create({ input: "hi" });
    const refused = await client.ended(2);
    await eventually(() => client.closed.length === 1);

    expect([refused["status"], errorOf(refused)["code"]]).toEqual([503, "websocket_off"]);
    expect(client.closed).toEqual([1_001]);
  });

  test("passes no header of the upgrade on to the upstream of a response", async () => {
    const { relay, upstream } = await open({ provider: openai });
    const client = connectResponses(relay.url, {
      "openai-beta": "responses_websockets=2026-02-06, responses_multi_agent=v1",
      "idempotency-key": "one for all",
    });
    client.create({ input: "hi" });
    await client.ended();

    const [request = ""] = upstream.requests;
    expect(request).toMatch(/^POST \/v1\/responses /);
    expect(request).toMatch(/openai-beta: responses_multi_agent=v1/i);
    expect(request).not.toMatch(/idempotency-key|responses_websockets|sec-websocket/i);
  });
});
