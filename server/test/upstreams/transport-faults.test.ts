/** Checks each transport fault on the socket: its bytes, and how they end. */

import { afterAll, expect, test } from "bun:test";
import { brotliDecompressSync, inflateRawSync } from "node:zlib";
import { startDemoUpstream } from "@tollgate/demo/demo-upstream.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import {
  callRaw,
  eventually,
  headerOf,
  type RawAnswer,
  readChunked,
  readMessage,
  scripted,
  streamText,
} from "./client.ts";

const upstream = startDemoUpstream();
afterAll(() => upstream.stop());

const streaming = { stream: true, stream_options: { include_usage: true } };
const lastCall = () => upstream.account().calls.at(-1);

function callStream(script: DemoScript): Promise<RawAnswer> {
  return callRaw(upstream.url, { body: scripted(script, streaming) });
}
function callWhole(script: DemoScript): Promise<RawAnswer> {
  return callRaw(upstream.url, { body: scripted(script) });
}
const eventsOf = (text: string): string[] => text.split("\n\n").filter((event) => event !== "");

test("a stream is cut at the requested place, by a reset or a normal close", async () => {
  // The events of this stream: role, four pieces, finish, usage, [DONE].
  for (const [after, eventCount] of [
    ["headers", 0],
    [0, 1],
    [3, 4],
    [4, 5],
    ["before-usage", 6],
    ["before-done", 7],
    ["end", 8],
  ] as const) {
    for (const how of ["reset", "fin"] as const) {
      const answer = await callStream({ events: 4, cut: { after, how } });
      const { chunks, ended } = readChunked(readMessage(answer.bytes).body);

      expect([after, answer.end]).toEqual([after, how]);
      expect([after, eventsOf(streamText(answer)).length]).toEqual([after, eventCount]);
      expect(chunks).toHaveLength(eventCount);
      expect(ended).toBe(false);
    }
  }
});

test("a connection can end before a single byte, and in the middle of an event", async () => {
  for (const how of ["reset", "fin"] as const) {
    const early = await callStream({ cut: { after: "connect", how } });
    expect(early).toEqual({ bytes: Buffer.alloc(0), end: how });
    expect(lastCall()).toMatchObject({ status: 0, promptTokens: 0, complete: false });

    const broken = await callStream({ events: 4, cut: { after: "mid-event", how } });
    const events = eventsOf(streamText(broken));
    expect(broken.end).toBe(how);
    expect(events).toHaveLength(4);
    expect(() => JSON.parse(events[3]?.slice("data: ".length) ?? "{}")).toThrow();
    expect(lastCall()).toMatchObject({ completionTokens: 2, complete: false, aborted: false });
  }
});

test("a whole answer is cut at the same places, before its announced length", async () => {
  const whole = readMessage((await callWhole({ events: 4 })).bytes);
  const text = whole.body.toString();
  for (const [after, received] of [
    ["headers", 0],
    [2, text.indexOf(" a ")],
    ["before-usage", text.indexOf(`,"usage"`)],
    ["before-done", text.length - 1],
  ] as const) {
    const answer = await callWhole({ events: 4, cut: { after, how: "fin" } });
    const message = readMessage(answer.bytes);

    expect([after, message.body.length]).toEqual([after, received]);
    expect(headerOf(message, "content-length")).toBe(String(text.length));
  }
});

test("silence keeps the connection open until the client disconnects", async () => {
  for (const after of ["connect", "headers", 2] as const) {
    const script: DemoScript = { cut: { after, how: "silence" } };
    const body = scripted(script, { ...streaming, metadata: { marker: `silent-${after}` } });
    const leave = Promise.withResolvers<void>();
    const left = callRaw(upstream.url, { body, leave: leave.promise });
    const mine = () => upstream.account().calls.find(({ marker }) => marker === `silent-${after}`);
    await eventually(() => mine()?.completionTokens === (after === 2 ? 2 : 0));

    expect(mine()).toMatchObject({ open: true, status: after === "connect" ? 0 : 200 });
    leave.resolve();
    expect((await left).end).toBe("disconnect");
    await eventually(() => mine()?.open === false);
    expect(mine()).toMatchObject({ aborted: true, complete: false });
  }
});

test("a Content-Length can be too short or too long", async () => {
  for (const call of [callWhole, callStream]) {
    const short = readMessage((await call({ contentLength: "short" })).bytes);
    expect(Number(headerOf(short, "content-length"))).toBeLessThan(short.body.length);

    const answer = await call({ contentLength: "long" });
    const long = readMessage(answer.bytes);
    expect(Number(headerOf(long, "content-length"))).toBeGreaterThan(long.body.length);
    expect(answer.end).toBe("fin");
    expect(headerOf(long, "transfer-encoding")).toBeUndefined();
  }
});

test("a truncated chunk announces more than it contains", async () => {
  for (const call of [callWhole, callStream]) {
    const answer = await call({ events: 4, chunked: "truncated" });
    const { ended, missing } = readChunked(readMessage(answer.bytes).body);

    expect(answer.end).toBe("fin");
    expect(ended).toBe(false);
    expect(missing).toBeGreaterThan(500);

    const whole = readChunked(readMessage((await call({ chunked: "whole" })).bytes).body);
    expect(whole.ended).toBe(true);
  }
});

test("a failure has its status, an OpenAI body, and the script's headers", async () => {
  for (const [status, code] of [
    [400, null],
    [401, "invalid_api_key"],
    [403, "permission_denied"],
    [404, "model_not_found"],
    [429, "rate_limit_exceeded"],
    [500, null],
    [503, "overloaded"],
  ] as const) {
    const message = readMessage((await callStream({ status, retryAfter: "soon" })).bytes);
    expect([message.status, headerOf(message, "retry-after")]).toEqual([status, "soon"]);
    expect(JSON.parse(message.body.toString())).toMatchObject({ error: { code } });
    expect(message.body.includes("sk-test-wxyz")).toBe(status === 401 || status === 403);
    expect(lastCall()).toMatchObject({ status, promptTokens: 0, complete: true });
  }
});

test("raw bodies, empty bodies, redirects and any header are sent as written", async () => {
  const html = await callWhole({ body: "<h1>Bad gateway</h1>", contentType: "text/html" });
  expect(readMessage(html.bytes)).toMatchObject({ status: 200 });
  expect(headerOf(readMessage(html.bytes), "content-type")).toBe("text/html");
  expect(readMessage(html.bytes).body.toString()).toBe("<h1>Bad gateway</h1>");

  const nothing = readMessage((await callStream({ body: "" })).bytes);
  expect([nothing.status, nothing.body.length]).toEqual([200, 0]);
  const bare = readMessage((await callStream({ status: 204 })).bytes);
  expect([bare.status, bare.body.length]).toEqual([204, 0]);
  expect(headerOf(bare, "content-length") ?? headerOf(bare, "transfer-encoding")).toBeUndefined();

  const moved = readMessage((await callWhole({ redirect: "http://127.0.0.1:9/" })).bytes);
  expect([moved.status, headerOf(moved, "location")]).toEqual([307, "http://127.0.0.1:9/"]);

  const headers = { "Set-Cookie": ["a=1", "b=2"], "X-Accel-Redirect": "/x", Server: "theirs" };
  const { head } = readMessage((await callWhole({ headers })).bytes);
  expect(head).toContain("Set-Cookie: a=1");
  expect(head).toContain("Set-Cookie: b=2");
  expect(head).toContain("X-Accel-Redirect: /x");
  expect(head.filter((line) => /^server:/i.test(line))).toEqual(["Server: theirs"]);
});

test("heads can be flooded with filler and interim heads", async () => {
  const huge = await callWhole({ hugeHeaders: 3_000_000 });
  const bodyBytes = readMessage(huge.bytes).body.length;
  expect(huge.bytes.length - bodyBytes).toBeGreaterThan(3_000_000);
  expect(readMessage(huge.bytes).status).toBe(200);

  const flooded = readMessage((await callWhole({ informational: 5_000 })).bytes);
  expect(flooded).toMatchObject({ status: 200, interimHeads: 5_000 });
});

test("a few kilobytes unpack to the size that the script requests", async () => {
  const bombBytes = 64 * 1024 * 1024;
  for (const encoding of ["gzip-bomb", "br-bomb"] as const) {
    const message = readMessage((await callWhole({ encoding, bombBytes })).bytes);
    const packed = Buffer.concat(readChunked(message.body).chunks);
    const unpacked =
      encoding === "br-bomb"
        ? brotliDecompressSync(packed)
        : inflateRawSync(packed.subarray(gzipHeadBytes, -gzipEndBytes));

    expect(headerOf(message, "content-encoding")).toBe(encoding.slice(0, -"-bomb".length));
    expect(packed.length).toBeLessThan(bombBytes / 1_000);
    expect(unpacked.length).toBe(bombBytes);
  }
});
const gzipHeadBytes = 10;
const gzipEndBytes = 8;

test("portions are written one by one, each as a chunk", async () => {
  const split = await callStream({ events: 2, splitBytes: 7 });
  const { chunks, ended } = readChunked(readMessage(split.bytes).body);
  expect(ended).toBe(true);
  expect(Math.max(...chunks.map(({ length }) => length))).toBe(7);
  expect(streamText(split)).toEndWith("data: [DONE]\n\n");
  expect(lastCall()).toMatchObject({ completionTokens: 2, complete: true });

  const dripping = await callStream({ drip: 1, body: "drip by drip", chunked: "whole" });
  const drops = readChunked(readMessage(dripping.bytes).body);
  expect(drops.ended).toBe(true);
  expect(drops.chunks.map((drop) => drop.toString())).toEqual("drip by drip".split(""));
});

test("an endless answer goes on until the client disconnects", async () => {
  for (const more of [streaming, {}]) {
    const body = scripted({ neverEnd: true }, { ...more, max_tokens: 5 });
    const answer = await callRaw(upstream.url, {
      body,
      until: (bytes) => bytes.length > 2_000_000,
    });

    expect(answer.end).toBe("disconnect");
    await eventually(() => lastCall()?.open === false);
    expect(lastCall()).toMatchObject({ aborted: true, complete: false });
    expect(lastCall()?.completionTokens).toBeGreaterThan(1_000);
  }
});

test("every n-th call fails, or the share of them that the script requests", async () => {
  const failing = async (script: DemoScript, calls: number): Promise<number[]> => {
    const url = `${upstream.url}/__demo/scripts/flapping`;
    await fetch(url, { method: "PUT", body: JSON.stringify(script) });
    const body = scripted({}, { model: "flapping" });
    const failed: number[] = [];
    for (let call = 1; call <= calls; call += 1) {
      const answer = await callRaw(upstream.url, { body });
      if (answer.end === "reset" || readMessage(answer.bytes).status !== 200) failed.push(call);
    }
    return failed;
  };

  expect(await failing({ failEvery: 3 }, 7)).toEqual([3, 6]);
  expect(await failing({ failRatio: 0.5, status: 503, retryAfter: "1" }, 6)).toEqual([2, 4, 6]);
  expect(await failing({ failEvery: 2, cut: { after: 1, how: "reset" } }, 4)).toEqual([2, 4]);
  expect(await failing({ failRatio: 0 }, 3)).toEqual([]);
  expect(await failing({ failRatio: 1 }, 3)).toEqual([1, 2, 3]);
});
