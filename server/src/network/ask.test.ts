import { afterEach, expect, test } from "bun:test";
import { openAddressBook } from "./address-book.ts";
import { ask, type Question } from "./ask.ts";
import { jsonAnswer, startUpstream } from "./testing/upstream.ts";
import { openTicker } from "./ticker.ts";
import { openTransport } from "./transport.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const ticker = openTicker(() => performance.now());
const addresses = openAddressBook({
  allows: (address) => address === "127.0.0.1",
  resolve: async () => [],
  nowMs: ticker.nowMs,
});
const transport = openTransport({ addresses, ticker });

const limits = { connectMs: 1_000, firstByteMs: 1_000, betweenChunksMs: 1_000, totalMs: 2_000 };

async function start(answer: string) {
  const upstream = await startUpstream((socket) => socket.write(answer));
  stops.push(upstream.stop);
  return upstream;
}

async function get(url: string, more: Partial<Question> = {}) {
  const question = { url, headers: {}, body: null, limits, answerBytesMax: 64, ...more };
  return await ask(transport, { method: "GET", ...question });
}

test("a small request brings back status and text, whatever the status", async () => {
  const upstream = await start(jsonAnswer("答", "404 Not Found"));
  const headers = { "content-type": "text/plain", "user-agent": "another" };
  const posted = { method: "POST", headers, body: "问" } as const;

  expect(await get(`${upstream.url}/path?q=1`, posted)).toEqual({
    ok: true,
    status: 404,
    text: "答",
  });
  const [request = ""] = upstream.requests;
  expect(request).toStartWith("POST /path?q=1 HTTP/1.1\r\n");
  expect(request).toContain(`host: ${upstream.url.slice("http://".length)}\r\n`);
  expect(request).toContain("accept-encoding: identity\r\n");
  expect(request).toContain("content-type: text/plain\r\n");
  expect(request).toContain("user-agent: another\r\n");
});

test("an address that may not be called, and an answer that is too long, are failures", async () => {
  const upstream = await start(jsonAnswer("x".repeat(65)));

  expect(await get("ftp://127.0.0.1/")).toEqual({ ok: false, reason: "address-malformed" });
  expect(await get("http://127.0.0.2/")).toEqual({ ok: false, reason: "address-forbidden" });
  expect(await get(upstream.url)).toEqual({ ok: false, reason: "answer-too-large" });
});
