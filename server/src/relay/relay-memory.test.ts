/** What arrives and is not complete: how much memory it may take, of whom, and for how long. */

import { createHash } from "node:crypto";
import { once } from "node:events";
import net from "node:net";
import { afterEach, expect, test } from "bun:test";
import { HeldBytes, openByteBudget } from "#base/memory/byte-budget.ts";
import { arrivesFirst, eventually } from "#base/testing/waiting.ts";
import { type Answerer, jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { gemini } from "#providers/gemini.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { openMediaRelay } from "./testing/media.ts";
import { openTestRelay, testChannel, testKey, type TestRelayOptions } from "./testing/relay.ts";
import { streamHead } from "./testing/stream.ts";
import { pieceMs } from "./meter/unfinished-piece.ts";

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A server of the chat format alone, so that other formats are translated. */
const chatOnly: Provider = {
  ...openai,
  formats: { "openai-chat": { paths: { chat: "/v1/chat/completions" }, asksForUsage: true } },
};

/** A user may hold 100,000 bytes while nobody else holds any. */
async function open(answer: Answerer, options: Partial<TestRelayOptions> = {}) {
  const upstream = await startUpstream(answer);
  const { budget = openByteBudget(400_000, 1_000) } = options;
  const channels = [testChannel({ baseUrl: upstream.url, provider: chatOnly })];
  const relay = openTestRelay({ channels, ...options, budget });
  stops.push(relay.stop, upstream.stop);
  return { relay, budget, upstream };
}

/** Opens a connection, and sends a head and the first bytes of what follows it. */
function begin(relay: { readonly url: string }, head: readonly string[], bytes: Buffer) {
  const socket = net.connect(Number(new URL(relay.url).port), "127.0.0.1");
  const state = { text: "", closed: false };
  socket.on("error", () => {});
  socket.on("data", (data: Buffer) => (state.text += data.toString("latin1")));
  socket.on("close", () => (state.closed = true));
  socket.write([head[0], "host: relay", ...head.slice(1), "", ""].join("\r\n"));
  socket.write(bytes);
  stops.push(() => void socket.destroy());
  return { socket, state };
}

const key = `authorization: Bearer ${testKey}`;

test("a user's unfinished bodies take their share of the budget; the next is refused in the caller's form", async () => {
  const { relay, budget } = await open(() => {});
  const kept = begin(
    relay,
    ["POST /v1/chat/completions HTTP/1.1", key, "content-length: 90000"],
    Buffer.alloc(80_000, " "),
  );
  await eventually(() => budget.bytes === 80_000);
  for (const [path, form] of [
    ["/v1/chat/completions", '"code":"rate_limit_exceeded"'],
    ["/v1/messages", '{"type":"error","error":'],
    ["/v1beta/models/m:generateContent", '"status":"RESOURCE_EXHAUSTED"'],
    ["/v1/messages/count_tokens", '{"type":"error","error":'],
  ] as const) {
    const { state } = begin(
      relay,
      [`POST ${path} HTTP/1.1`, key, "content-length: 90000"],
      Buffer.alloc(30_000, " "),
    );
    await eventually(() => state.text.includes("\r\n\r\n"));
    expect(state.text).toStartWith("HTTP/1.1 429");
    expect(state.text).toContain("\r\nretry-after: 1\r\n");
    expect(state.text).toContain(form);
  }
  expect([budget.bytes, budget.refusals]).toEqual([80_000, 4]);
  kept.socket.destroy();
  await eventually(() => budget.bytes === 0);
});

test("while others hold the budget, a body is refused with 503, and a small one is still read", async () => {
  const { relay, budget } = await open((socket) => void socket.write(jsonAnswer("{}")));
  for (let owner = 1_000; owner < 1_020; owner += 1) {
    const held = new HeldBytes({ budget, owner });
    while (held.bytes < 50_000 && held.hold(held.bytes + 1_000) === null);
  }
  const { state } = begin(
    relay,
    ["POST /v1/chat/completions HTTP/1.1", key, "content-length: 90000"],
    Buffer.alloc(80_000, " "),
  );
  await eventually(() => state.text.includes("\r\n\r\n"));
  expect(state.text).toStartWith("HTTP/1.1 503");
  expect(state.text).toContain("\r\nretry-after: 1\r\n");

  const small = JSON.stringify({ model: "m", messages: [] });
  const slow = begin(
    relay,
    ["POST /v1/chat/completions HTTP/1.1", key, `content-length: ${small.length}`],
    Buffer.from(small.slice(0, 5)),
  );
  await arrivesFirst();
  slow.socket.write(small.slice(5));
  await eventually(() => slow.state.text !== "");
  expect(slow.state.text).not.toStartWith("HTTP/1.1 503");
});

test("60 Live sockets of a user without money hold nothing of the frames that they send", async () => {
  const budget = openByteBudget(512 * 1024 * 1024);
  const relay = openTestRelay({
    channels: [testChannel({ baseUrl: "http://127.0.0.1:9", provider: gemini })],
    balance: 0,
    budget,
  });
  stops.push(relay.stop);
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, budget.bytes)), 1);
  const path = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent";
  // A binary frame of 16 MB that is masked by zeros, and a megabyte of it.
  const frame = Buffer.alloc(1024 * 1024);
  frame.set([0x82, 0xff, 0, 0, 0, 0, 0, 0xff, 0, 0, 0, 0, 0, 0]);
  const clients = Array.from({ length: 60 }, () =>
    begin(
      relay,
      [
        `GET ${path}?key=${testKey} HTTP/1.1`,
        "connection: Upgrade",
        "upgrade: websocket",
        "sec-websocket-version: 13",
        "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
      ],
      frame,
    ),
  );
  await eventually(() => clients.every(({ state }) => state.text.includes("insufficient_user")));
  clearInterval(watch);
  expect([most, relay.money.held, relay.relay.open()]).toEqual([0, 0, 0]);
});

test("an answer for which there is no memory ends with 503, is not charged, and blames no channel", async () => {
  const { relay, budget } = await open((socket) => {
    socket.write(
      "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900000\r\n\r\n",
    );
    socket.write(Buffer.alloc(300_000, " "));
  });
  new HeldBytes({ budget, owner: 1 }).hold(1);
  const answer = await fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}` },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }),
  });
  expect([answer.status, await answer.json()]).toMatchObject([
    503,
    { error: { code: "server_overloaded" } },
  ]);
  expect([budget.bytes, relay.money.held, relay.money.settled]).toEqual([1, 0, []]);
  expect(relay.attempts).toEqual([]);
});

test("an event of a translated stream that does not end takes the user's share, and two minutes, at most", async () => {
  for (const isTooLarge of [true, false]) {
    const { relay, budget } = await open((socket) => {
      socket.write(streamHead);
      socket.write(`data: ${"x".repeat(isTooLarge ? 300_000 : 50_000)}`);
      const drip = setInterval(() => socket.write("x"), 20);
      socket.on("close", () => clearInterval(drip));
    });
    const other = new HeldBytes({ budget, owner: 1 });
    other.hold(1);
    const answering = fetch(`${relay.url}/v1/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}` },
      body: JSON.stringify({
        model: "m",
        max_tokens: 10,
        stream: true,
        messages: [{ role: "user", content: "hi" }],
      }),
    });
    if (!isTooLarge) {
      await eventually(() => budget.bytes > 50_000);
      relay.skipMs += pieceMs;
    }
    const answer = await answering;
    expect([answer.status, await answer.text()]).toEqual([
      503,
      expect.stringContaining("服务繁忙"),
    ]);
    expect([budget.bytes, relay.money.held]).toEqual([1, 0]);
  }
});

test("the files of a form are held until the call has ended, and not longer", async () => {
  const budget = openByteBudget(40_000_000);
  const answering = Promise.withResolvers<Response>();
  const made = openMediaRelay(() => answering.promise, {}, { budget });
  stops.push(made.stop);
  const form = new FormData();
  form.append("file", new File([new Uint8Array(6_000_000)], "a.wav"));
  form.append("model", "m");
  const sent = made.post("/v1/audio/transcriptions", form);
  await eventually(() => made.seen.length === 1);
  expect(budget.bytes).toBeGreaterThan(6_000_000);
  const second = await made.post("/v1/audio/transcriptions", form);
  expect([second.status, second.headers.get("retry-after")]).toEqual([429, "1"]);
  answering.resolve(Response.json({ text: "hi" }));
  expect((await sent).status).toBe(200);
  expect(budget.bytes).toBe(0);
});

/** Starts an upstream of realtime sessions that reads nothing behind the upgrade. */
async function startDeafUpstream() {
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (head: Buffer) => {
      const asked = /sec-websocket-key: (\S+)/i.exec(head.toString("latin1"))?.[1] ?? "";
      const accept = createHash("sha1").update(`${asked}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
      socket.write(
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n" +
          `sec-websocket-accept: ${accept.digest("base64")}\r\n\r\n`,
      );
      socket.pause();
    });
    stops.push(() => void socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  stops.push(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}`;
}

test("messages that an upstream does not take are held too, and end the session with 1013", async () => {
  const budget = openByteBudget(40_000_000);
  const relay = openTestRelay({
    channels: [testChannel({ baseUrl: await startDeafUpstream() })],
    budget,
  });
  stops.push(relay.stop);
  const other = new HeldBytes({ budget, owner: 1 });
  other.hold(1);
  const address = `${relay.url.replace("http", "ws")}/v1/realtime?model=m`;
  const open = () => {
    const socket = new WebSocket(address, ["realtime", `openai-insecure-api-key.${testKey}`]);
    const closed: number[] = [];
    socket.addEventListener("close", ({ code }) => void closed.push(code));
    const audio = "A".repeat(8_000_000);
    socket.addEventListener("open", () => {
      socket.send(JSON.stringify({ type: "input_audio_buffer.append", audio }));
    });
    return { socket, closed };
  };
  open();
  await eventually(() => budget.bytes > 8_000_000);
  const second = open();
  await eventually(() => second.closed.length === 1);
  expect(second.closed).toEqual([1_013]);
  // The upstream takes nothing, and is at last taken for lost.
  relay.skipMs = 80_000;
  await eventually(() => budget.bytes === 1);
  expect(relay.money.held).toBe(0);
});
