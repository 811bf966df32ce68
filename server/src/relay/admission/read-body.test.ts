import net from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, expect, test } from "bun:test";
import { openTestRelay, testChannel, testKey, type TestRelay } from "#relay/testing/relay.ts";
import { arrivesFirst, eventually, staysTrue } from "#base/testing/waiting.ts";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function open(): Promise<TestRelay> {
  const answer = jsonAnswer(
    '{"choices":[{"index":0,"message":{"content":"x"}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}',
  );
  const upstream = await startUpstream((socket) => socket.write(answer));
  const relay = openTestRelay({ channels: [testChannel({ baseUrl: upstream.url })] });
  stops.push(relay.stop, upstream.stop);
  return relay;
}

const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });

/** Sends the head of a call. The test sends the body afterwards. */
function begin(relay: TestRelay, lengthLine: string) {
  const socket = net.connect(Number(new URL(relay.url).port), "127.0.0.1");
  const state = { text: "", closed: false };
  socket.on("error", () => {});
  socket.on("data", (bytes: Buffer) => {
    state.text += bytes.toString("utf8");
  });
  socket.on("close", () => {
    state.closed = true;
  });
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: relay\r\nauthorization: ${testKey}\r\n${lengthLine}\r\n\r\n`,
  );
  return { socket, state };
}

test("P-K3: a stalled body is given up, with and without a content-length", async () => {
  for (const [line, first] of [
    ["content-length: 1000", "{"],
    ["content-length: 500000", "{".repeat(2_048)],
    ["transfer-encoding: chunked", "3\r\n{  \r\n"],
  ] as const) {
    const relay = await open();
    const { socket, state } = begin(relay, line);
    await eventually(() => relay.counts.requests === 1);
    socket.write(first);
    await arrivesFirst();
    relay.skipMs += 8_000;
    await staysTrue(() => state.text === "", 400);
    relay.skipMs += 2_500;
    await eventually(() => state.text !== "");

    expect(state.text).toStartWith("HTTP/1.1 408");
    socket.destroy();
  }
});

test("P-K3: a slow body above the minimum rate is accepted", async () => {
  const relay = await open();
  const { socket, state } = begin(relay, "transfer-encoding: chunked");
  const padding = " ".repeat(2_048);
  socket.write(`${body.length.toString(16)}\r\n${body}\r\n`);
  for (let seconds = 0; seconds < 20; seconds += 2) {
    socket.write(`800\r\n${padding}\r\n`);
    await arrivesFirst();
    relay.skipMs += 2_000;
    await staysTrue(() => state.text === "", 270);
  }
  socket.write("0\r\n\r\n");
  await eventually(() => state.text !== "");

  expect(state.text).toStartWith("HTTP/1.1 200");
  socket.destroy();
});

test("a client that disconnects while sending its body leaves nothing behind", async () => {
  const relay = await open();
  for (const [index, line] of ["content-length: 1000", "transfer-encoding: chunked"].entries()) {
    const { socket } = begin(relay, line);
    socket.write("3\r\n{  \r\n");
    await eventually(() => relay.counts.requests === index + 1);
    await arrivesFirst();
    socket.destroy();
    await eventually(() => relay.counts.responses === index + 1);
  }

  expect(relay.relay.open()).toBe(0);
  expect(relay.money).toMatchObject({ held: 0, released: 0, settled: [] });
  expect(relay.logged).toEqual([]);
});

test("a body is unpacked from gzip, br and deflate, with and without its header; a value that is no coding means none", async () => {
  const relay = await open();
  const send = async (encoding: string, bytes: Uint8Array): Promise<number> => {
    const answer = await fetch(`${relay.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: testKey, "content-encoding": encoding },
      body: new Uint8Array(bytes),
    });
    await answer.bytes();
    return answer.status;
  };
  const plain = Buffer.from(body);
  const bomb = Buffer.alloc(10_000_000, 32);
  for (const [encoding, bytes, status] of [
    ["gzip", gzipSync(plain), 200],
    ["X-GZIP", gzipSync(plain), 200],
    ["br", brotliCompressSync(plain), 200],
    ["deflate", deflateSync(plain), 200],
    ["deflate", deflateRawSync(plain), 200],
    ["identity, gzip", gzipSync(plain), 200],
    ["identity", plain, 200],
    ["none", plain, 200],
    ["utf-8", plain, 200],
    ["deflate", plain, 400],
    ["br", gzipSync(plain), 400],
    ["deflate", deflateSync(bomb), 413],
    ["br", brotliCompressSync(bomb), 413],
    ["gzip, br", gzipSync(plain), 415],
    ["compress", plain, 415],
    ["zstd", plain, 415],
  ] as const) {
    expect([encoding, await send(encoding, bytes)]).toEqual([encoding, status]);
  }
});

test("a body that unpacks to over a hundred times its size is refused, though it may be as long", async () => {
  const relay = await open();
  const send = async (content: string): Promise<number> => {
    const text = JSON.stringify({ model: "m", messages: [{ role: "user", content }] });
    const response = await fetch(`${relay.url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${testKey}`,
        "content-type": "application/json",
        "content-encoding": "gzip",
      },
      body: new Uint8Array(gzipSync(text)),
    });
    await response.text();
    return response.status;
  };

  expect(await send("hello")).toBe(200);
  expect(await send("a".repeat(200_000))).toBe(413);
});
