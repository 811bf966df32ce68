import {
  brotliCompressSync,
  constants,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
} from "node:zlib";
import { afterEach, expect, test } from "bun:test";
import { freeBytes } from "#base/free-bytes.ts";
import { eventually } from "#base/testing/waiting.ts";
import { callTo, open, readText } from "./testing/calls.ts";
import { type Answerer, startUpstream } from "./testing/upstream.ts";
import { unpackedBytesMax } from "./unpacked-answer.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function upstream(answer: Answerer) {
  const started = await startUpstream(answer);
  stops.push(started.stop);
  return started;
}

const head = (coding: string, length: number | null, line = "200 OK", more = ""): string =>
  `HTTP/1.1 ${line}\r\ncontent-encoding: ${coding}\r\n${more}` +
  `${length === null ? "" : `content-length: ${length}\r\n`}\r\n`;

const packed = (coding: string, body: Buffer, line?: string): Answerer => {
  return (socket) => {
    socket.write(head(coding, body.length, line));
    socket.write(body);
  };
};

/** Reads an answer piece by piece, and frees each piece as the relay does. */
async function readParts(url: string) {
  const { transport } = open();
  const answer = await transport(callTo(url));
  if (answer.kind === "fault") throw new Error(answer.code);
  let text = "";
  for (;;) {
    const part = await answer.read();
    if (part === null) return text;
    if (!(part instanceof Uint8Array)) return part.code;
    text += Buffer.from(part).toString();
    freeBytes(part);
  }
}

const text = JSON.stringify({ text: "hello ".repeat(20_000) });
const bodies: readonly (readonly [string, Buffer])[] = [
  ["gzip", gzipSync(text)],
  ["x-gzip", gzipSync(text)],
  ["br", brotliCompressSync(text)],
  ["deflate", deflateSync(text)],
  ["deflate", deflateRawSync(text)],
  ["identity, GZIP", gzipSync(text)],
  ["none", Buffer.from(text)],
  ["utf-8", Buffer.from(text)],
  ["identity", Buffer.from(text)],
];

test("W5: a compressed answer is read, whole or piece by piece, and a value that is no coding is none", async () => {
  for (const [coding, body] of bodies) {
    const { url } = await upstream(packed(coding, body));
    expect([coding, await readText(open().transport, callTo(url))]).toEqual([
      coding,
      `200 ${text}`,
    ]);
    expect([coding, await readParts(url)]).toEqual([coding, text]);
  }
});

test("W5: a stream's events come out as they are sent", async () => {
  const { transport } = open();
  const zip = createGzip({ flush: constants.Z_SYNC_FLUSH });
  const { url } = await upstream((socket) => {
    socket.write(head("gzip", null));
    zip.on("data", (bytes: Buffer) => socket.write(bytes));
    zip.on("end", () => socket.end());
  });
  const answer = await transport(callTo(url));
  if (answer.kind === "fault") throw new Error(answer.code);
  for (const event of ["data: 1\n\n", "data: 2\n\n", "data: [DONE]\n\n"]) {
    zip.write(event);
    const part = await answer.read();
    expect(part instanceof Uint8Array && Buffer.from(part).toString()).toBe(event);
  }
  zip.end();
  expect(await answer.read()).toBeNull();
});

test("W5: status and headers of an answer are read before its content coding", async () => {
  const { transport } = open();
  for (const coding of ["gzip", "zstd", "gzip, br"]) {
    const { url } = await upstream((socket) => {
      const more = "retry-after: 7\r\nx-request-id: r-9\r\n";
      socket.write(head(coding, 3, "429 Too Many Requests", more) + "xyz");
    });
    const answer = await transport(callTo(url));
    expect(answer).toMatchObject({
      kind: "answer",
      status: 429,
      retryAfter: "7",
      requestId: "r-9",
    });
    if (answer.kind === "fault") throw new Error(answer.code);
    expect(await answer.readAll(100)).toMatchObject({ code: "answer-compressed" });
  }
});

test("W5: a body that is cut, or not what its coding says, is never taken for an answer", async () => {
  for (const [body, whole, parts] of [
    [gzipSync(text).subarray(0, 60), "answer-compressed", "answer-truncated"],
    [Buffer.from("plain text"), "answer-compressed", "answer-compressed"],
    [Buffer.alloc(0), "200 ", ""],
  ] as const) {
    const { url } = await upstream(packed("gzip", body));
    expect(await readText(open().transport, callTo(url))).toBe(whole);
    expect(await readParts(url)).toEndWith(parts);
  }
});

test("P-U6: a few bytes cannot unpack to more than the limit", async () => {
  const bomb = gzipSync(Buffer.alloc(10_000_000));
  const { url } = await upstream(packed("gzip", bomb));

  expect(await readText(open().transport, callTo(url), 1_000_000)).toBe("answer-too-large");
  expect(await readText(open().transport, callTo(url), 10_000_000)).toStartWith("200 ");
});

test("P-U6: a stream that unpacks without end is read no faster than it is taken, and ends at the limit", async () => {
  const { transport } = open();
  const piece = gzipSync(Buffer.alloc(16_000_000));
  const { open: openCount, url } = await upstream((socket) => {
    socket.write(head("gzip", null));
    const pour = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on("drain", pour);
    pour();
  });
  const answer = await transport(callTo(url));
  if (answer.kind === "fault") throw new Error(answer.code);
  const first = await answer.read();
  expect((first as Uint8Array).length).toBeLessThan(100_000);
  let read = 0;
  for (;;) {
    const part = await answer.read();
    if (!(part instanceof Uint8Array)) {
      expect(part).toMatchObject({ code: "answer-too-large" });
      break;
    }
    read += part.length;
  }
  expect(read).toBeGreaterThan(unpackedBytesMax - 1_000_000);
  await eventually(() => openCount() === 0);
});
