import { expect, test } from "bun:test";
import {
  close,
  feed,
  headBytesMax,
  interimHeadsMax,
  newResponseReader,
  type ResponseReader,
} from "./response.ts";

type Read = { readonly reader: ResponseReader; readonly body: string };

/** Feeds `text` to a reader in pieces of `size` bytes. */
function read(text: string, size = Infinity): Read {
  const reader = newResponseReader();
  const bytes = Buffer.from(text, "latin1");
  let body = "";
  const step = Math.min(size, bytes.length);
  for (let at = 0; at < bytes.length; at += step) {
    body += feed(reader, Buffer.from(bytes.subarray(at, at + step))).toString("latin1");
  }
  return { reader, body };
}

const sized = "HTTP/1.1 200 OK\r\nContent-Type: Text/Plain; x=1\r\nContent-Length: 5\r\n\r\nhello";
const chunked =
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n" +
  "5\r\nhello\r\n1;ext=a\r\n,\r\nA\r\n 012345678\r\n0\r\nx-trailer: 1\r\n\r\n";

test("head and body do not depend on how the bytes are split", () => {
  for (const size of [1, 2, 3, 7, 64, Infinity]) {
    const one = read(sized, size);
    expect(one.body).toBe("hello");
    expect(one.reader).toMatchObject({ phase: "done", reusable: true });
    expect(one.reader.head).toEqual({
      status: 200,
      mediaType: "text/plain",
      contentType: "Text/Plain; x=1",
      contentEncoding: "",
      retryAfter: null,
      toldLimits: null,
      requestId: "",
      contentLength: 5,
    });

    const other = read(chunked, size);
    expect(other.body).toBe("hello, 012345678");
    expect(other.reader).toMatchObject({ phase: "done", reusable: true });
  }
});

test("the id that an upstream gives a request is read in each vendor's field, within a bound", () => {
  const idOf = (field: string): string | undefined =>
    read(`HTTP/1.1 200 OK\r\n${field}\r\nContent-Length: 0\r\n\r\n`).reader.head?.requestId;

  expect(idOf("X-Request-Id: req_1")).toBe("req_1");
  expect(idOf("request-id: req_2")).toBe("req_2");
  expect(idOf("x-amzn-RequestId: 3-4")).toBe("3-4");
  expect(idOf(`x-request-id: ${"a".repeat(201)}`)).toBe("");
});

test("a truncated body is never complete, one delimited by the connection's end is", () => {
  for (const cut of [sized.slice(0, -1), chunked.slice(0, -1), chunked.slice(0, -20)]) {
    expect(close(read(cut).reader)).toBe(false);
  }
  const open = read("HTTP/1.1 200 OK\r\n\r\nall there is");
  expect(open.body).toBe("all there is");
  expect(close(open.reader)).toBe(true);
  expect(open.reader.reusable).toBe(false);
});

// On a connection that is used again, bytes behind an answer would be taken for the next call's
// answer.
test("a connection with bytes behind the answer is not used again", () => {
  for (const text of [`${sized}HTTP/1.1 200 OK\r\n`, `${chunked}x`]) {
    const { reader } = read(text);
    expect(reader).toMatchObject({ phase: "done", reusable: false });
  }
  const { reader } = read(sized);
  feed(reader, Buffer.from("late"));
  expect(reader.reusable).toBe(false);
});

test("answers that two parsers could delimit differently are refused", () => {
  const head = (...lines: string[]) => `HTTP/1.1 200 OK\r\n${lines.join("\r\n")}\r\n\r\n`;
  for (const text of [
    head("content-length: 5", "content-length: 5"),
    head("content-length: 5", "transfer-encoding: chunked"),
    head("content-length: 5, 5"),
    head("content-length: +5"),
    head("content-length: -5"),
    head("content-length: 0x5"),
    head("content-length: 99999999999999999999"),
    head("content-length:"),
    head("content-length:", "content-length: 5"),
    head("content-length: \xa05"),
    head("transfer-encoding: \xa0chunked"),
    head("transfer-encoding:", "transfer-encoding: chunked"),
    head("transfer-encoding: gzip, chunked"),
    head("transfer-encoding: chunked", "transfer-encoding: chunked"),
    head("transfer-encoding: identity"),
    head("content-length : 5"),
    head("x: a", " folded: b"),
    head("x: a\n y: b"),
    head("x: a\rb"),
    head("x: a\0b"),
    head("no colon"),
    head(": no name"),
    "HTTP/2.0 200 OK\r\n\r\n",
    "HTTP/1.1 999 Odd\r\n\r\n",
    "HTTP/1.1 20 OK\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    "ICY 200 OK\r\n\r\n",
  ]) {
    expect([text, read(text).reader.phase]).toEqual([text, "failed"]);
  }
});

test("chunks with an unclear length or end are refused", () => {
  const body = (text: string) => `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${text}`;
  for (const text of [
    "zz\r\n",
    "\r\n",
    "-1\r\n",
    "0x5\r\n",
    "5 5\r\nhello",
    "5\nhello\r\n",
    "fffffffffffffff\r\n",
    "5\r\nhelloX\r\n",
    "5\r\nhello\n0\r\n\r\n",
    `5;${"x".repeat(2_000)}`,
    "5;\x01\r\nhello\r\n0\r\n\r\n",
    "0\r\nHTTP/1.1 200 OK\r\n\r\n",
    "0\r\nx: \x01\r\n\r\n",
    "0\r\nx: y\r\n folded\r\n\r\n",
    "0\r\nx: a\rb\r\n\r\n",
    "0\r\ncontent-length: 5\r\n\r\n",
    `0\r\n${"x: y\r\n".repeat(headBytesMax / 6 + 1)}`,
  ]) {
    expect([text, read(body(text)).reader.phase]).toEqual([text, "failed"]);
    expect([text, read(body(text), 1).reader.phase]).toEqual([text, "failed"]);
  }
});

test("P-U6: heads, trailers and interim heads are limited", () => {
  const field = `x: ${"a".repeat(1_000)}\r\n`;
  const many = field.repeat(headBytesMax / 1_000 + 1);
  expect(read(`HTTP/1.1 200 OK\r\n${many}`, 4_096).reader.phase).toBe("failed");
  expect(read(`HTTP/1.1 200 OK\r\nx: ${"a".repeat(headBytesMax)}`, 4_096).reader.phase).toBe(
    "failed",
  );
  const interim = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";
  expect(read(interim.repeat(interimHeadsMax) + sized, 11)).toMatchObject({ body: "hello" });
  expect(read(interim.repeat(interimHeadsMax + 1) + sized).reader.phase).toBe("failed");
  const trailer = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx: ${"a".repeat(headBytesMax)}`;
  expect(read(trailer, 4_096).reader.phase).toBe("failed");
});

test("answers without a body end with their head", () => {
  for (const status of ["204 No Content", "304 Not Modified"]) {
    const { reader } = read(`HTTP/1.1 ${status}\r\n\r\n`);
    expect(reader).toMatchObject({ phase: "done", reusable: true });
  }
});

test("a connection that announces its close is not used again", () => {
  const answer = (version: string, connection: string) =>
    read(`HTTP/${version} 200 OK\r\n${connection}content-length: 0\r\n\r\n`).reader.reusable;
  expect(answer("1.1", "")).toBe(true);
  expect(answer("1.1", "Connection: Close\r\n")).toBe(false);
  expect(answer("1.0", "")).toBe(false);
  expect(answer("1.0", "connection: keep-alive\r\n")).toBe(true);
  expect(answer("1.0", "connection: -keep-alive\r\n")).toBe(false);
  expect(answer("1.1", "connection: x, CLOSE\r\n")).toBe(false);
});

/** Returns a random generator with a seed, so that a failure can be repeated. */
function openRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

test("random bytes are read alike however they are split, and never throw", () => {
  const random = openRandom(20_261_121);
  const alphabet = "0159afz:;, \t\r\n\0\x80-";
  const bases = [sized, chunked, `HTTP/1.1 103 Early\r\n\r\n${sized}`, "HTTP/1.1 200\r\n\r\nbody"];
  for (let round = 0; round < 20_000; round += 1) {
    let text = bases[random(bases.length)] ?? "";
    for (let changes = random(4); changes >= 0; changes -= 1) {
      const at = random(text.length + 1);
      const piece = alphabet[random(alphabet.length)] ?? "";
      text = text.slice(0, at) + (random(3) === 0 ? "" : piece) + text.slice(at + random(3));
    }
    const whole = read(text);
    const cut = read(text, 1 + random(5));
    expect([text, cut.reader.phase, cut.body]).toEqual([text, whole.reader.phase, whole.body]);
    expect([cut.reader.reusable, cut.reader.head]).toEqual([
      whole.reader.reusable,
      whole.reader.head,
    ]);
    expect(whole.body.length).toBeLessThanOrEqual(text.length);
  }
});
