/** Tests HTTP/1.1 requests as clients really send them, and invalid requests. */

import { afterAll, expect, test } from "bun:test";
import net from "node:net";
import { startDemoUpstream } from "@tollgate/demo/demo-upstream.ts";
import { parseRequest } from "@tollgate/demo/request-parser.ts";
import { callRaw, eventually, requestBytes, scripted } from "./client.ts";

const upstream = startDemoUpstream();
afterAll(() => upstream.stop());

/**
 * Sends the portions one by one, and returns what came back until the upstream closed the
 * connection.
 */
function exchange(portions: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(Number(new URL(upstream.url).port), "127.0.0.1");
    let received = "";
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => (received += chunk.toString("utf8")));
    socket.on("close", () => resolve(received));
    const send = async (): Promise<void> => {
      for (const portion of portions) {
        socket.write(portion);
        await Bun.sleep(2); // so that the portions are sent separately
      }
    };
    socket.on("connect", () => void send());
  });
}

const keepAlive = "POST /v1/chat/completions HTTP/1.1";
const asking = (marker: string, head = keepAlive): string =>
  requestBytes({ head, body: scripted({ events: 1, piece: marker }) });
const closing = `${keepAlive}\r\nconnection: close`;

test("calls on one connection are answered in order, also when pipelined", async () => {
  const slow = scripted({ events: 1, piece: "first", eventDelayMs: 50 });
  const received = await exchange([
    requestBytes({ head: keepAlive, body: slow }) + asking("second") + asking("third", closing),
  ]);

  const answers = received.split("HTTP/1.1 200 OK").slice(1);
  expect(answers.map((text) => /"content":"(\w+)"/.exec(text)?.[1])).toEqual([
    "first",
    "second",
    "third",
  ]);
});

test("a call may arrive byte by byte", async () => {
  const bytes = Buffer.from(asking("é", closing));
  const received = await exchange([...bytes].map((byte) => Buffer.of(byte)));

  expect(received).toContain(`"content":"é"`);
});

test("a chunked body is joined, and `expect: 100-continue` is answered", async () => {
  const body = JSON.stringify(scripted({ events: 1, piece: "chunked" }));
  const head = `${closing}\r\nauthorization: Bearer k\r\ntransfer-encoding: chunked\r\n`;
  const chunk = (text: string): string => `${text.length.toString(16)};x=y\r\n${text}\r\n`;
  const received = await exchange([
    `${head}expect: 100-continue\r\n\r\n`,
    chunk(body.slice(0, 10)),
    chunk(body.slice(10)),
    "0\r\ntrailer: x\r\n\r\n",
  ]);

  expect(received).toStartWith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n");
  expect(received).toContain(`"content":"chunked"`);
});

test("a large body arrives whole", async () => {
  const content = "x".repeat(5_000_000);
  const body = { model: "demo-fast", messages: [{ role: "user", content }] };
  const received = await exchange([requestBytes({ head: closing, body })]);

  expect(received).toContain(`"prompt_tokens":1250000`);
});

test("an invalid request is refused, and the connection ends", async () => {
  for (const [bytes, status] of [
    ["nonsense\r\n\r\n", 400],
    ["\x16\x03\x01\r\n\r\n", 400],
    ["POST / HTTP/1.1\r\ncontent-length: x\r\n\r\n", 400],
    ["POST / HTTP/1.1\r\ncontent-length: 99999999999\r\n\r\n", 413],
    ["POST / HTTP/1.1\r\ntransfer-encoding: gzip\r\n\r\n", 501],
    ["POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", 400],
    [`GET / HTTP/1.1\r\nx: ${"x".repeat(70_000)}`, 431],
    ["GET /nothing HTTP/1.0\r\n\r\n", 404],
  ] as const) {
    expect(await exchange([bytes])).toStartWith(`HTTP/1.1 ${status} `);
  }
});

test("stopping closes all connections and frees the port", async () => {
  const stopped = startDemoUpstream();
  const url = new URL(stopped.url);
  const body = scripted({ headDelayMs: 3_600_000 });
  const waiting = callRaw(stopped.url, { body });
  await eventually(() => stopped.account().totals.open === 1);
  await stopped.stop();

  expect(await waiting).toEqual({ bytes: Buffer.alloc(0), end: "reset" });
  await eventually(() => stopped.account().totals.open === 0);
  expect(stopped.account().totals).toMatchObject({ calls: 1, complete: 0, aborted: 1 });
  const again = startDemoUpstream({ port: Number(url.port) });
  expect(again.url).toBe(stopped.url);
  await again.stop();
});

test("however a request is split, it is read only when it is complete", () => {
  const whole = Buffer.from(asking("x"));
  for (let length = 0; length < whole.length; length += 1) {
    const parsed = parseRequest(whole.subarray(0, length));
    expect(parsed.kind).toBe("incomplete");
    if (parsed.kind === "incomplete") {
      expect(parsed.neededBytes).toBeGreaterThan(length);
      expect(parsed.neededBytes).toBeLessThanOrEqual(whole.length);
    }
  }
  const next = Buffer.concat([whole, Buffer.from("POST")]);
  expect(parseRequest(next)).toMatchObject({ kind: "request", consumedBytes: whole.length });
});
