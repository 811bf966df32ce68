import { createHash } from "node:crypto";
import type { Socket } from "node:net";
import { afterEach, expect, test } from "bun:test";
import { eventually } from "#base/testing/waiting.ts";
import { opcodes, writeFrame } from "#websocket/frames.ts";
import { parseProxy } from "./proxy.ts";
import { parseTarget } from "./target.ts";
import { callTo, open, readText } from "./testing/calls.ts";
import { makeAuthority } from "./testing/certificates.ts";
import { startHttpProxy } from "./testing/proxy.ts";
import { startUpstream } from "./testing/upstream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Accepts a WebSocket, and sends bytes with the head. */
function accept(socket: Socket, request: string, bytes: Buffer): void {
  const key = /sec-websocket-key: (\S+)/.exec(request)?.[1] ?? "";
  const proof = createHash("sha1")
    .update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest("base64");
  const head = `HTTP/1.1 101 Switching\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${proof}\r\n\r\n`;
  socket.write(Buffer.concat([Buffer.from(head), bytes]));
}

const text = (message: string): Buffer => writeFrame(opcodes.text, Buffer.from(message), false);

const asked = { isLastMessage: (message: Uint8Array) => message.length === 1 };

test("W7: messages go through a channel's proxy and TLS, like any other call", async () => {
  const authority = makeAuthority();
  const upstream = await startUpstream(
    (socket, request) => accept(socket, request, Buffer.concat([text("[\n1]"), text("2")])),
    authority.issue("up.test"),
  );
  const proxy = await startHttpProxy({ to: upstream.port });
  stops.push(upstream.stop, proxy.stop);
  const { transport } = open({ ca: authority.ca });
  const target = parseTarget(
    "https://up.test/v1/chat",
    parseProxy(`http://127.0.0.1:${proxy.port}`),
  );
  if (target === null) throw new Error("target");
  const got = await readText(transport, callTo("https://up.test", { target, ...asked }));

  expect(got).toBe("200 [ 1]\n2\n");
  expect(proxy.asked.map((line) => line.trim())).toEqual(["CONNECT up.test:443"]);
});

test("an answer that is given up, too long, or of one endless message closes its connection", async () => {
  const endless = Buffer.from([0x81, 127, 0, 0, 0, 0, 2, 0, 0, 0]);
  const upstream = await startUpstream((socket, request) =>
    accept(socket, request, request.includes("endless") ? endless : text("x".repeat(2_000))),
  );
  stops.push(upstream.stop);
  const { transport } = open();
  const call = (path: string) => callTo(upstream.url + path, asked);
  for (const path of ["/endless", "/long"]) {
    expect(await readText(transport, call(path), 1_000)).toBe("answer-too-large");
  }
  const left = await transport(call("/left"));
  if (left.kind === "answer") left.cancel();
  await eventually(() => upstream.connections() === 3 && upstream.open() === 0);
});
