import { expect, test } from "bun:test";
import {
  cutHead,
  fieldsMax,
  headBytesMax,
  listFields,
  requestLineBytesMax,
} from "./request-head.ts";

function cut(text: string) {
  return cutHead(Buffer.from(text, "latin1"));
}

/** Reads a head that has a request line, a host and these lines. */
function withLines(...lines: string[]) {
  return cut(["POST /v1/x HTTP/1.1", "Host: gw", ...lines, "", ""].join("\r\n"))?.head;
}

test("a request is read as sent", () => {
  const text =
    "POST /v1/x?a=%41&b=/../ HTTP/1.1\r\nHost: gw.example:80\r\nX-One:  two words \t\r\n" +
    "Content-Length: 5\r\nX-ONE: three\r\n\r\nhello";
  const whole = cut(text);
  const head = whole?.head;
  if (typeof head !== "object") throw new Error(`refused: ${head}`);
  expect(head).toMatchObject({
    method: "POST",
    target: "/v1/x?a=%41&b=/../",
    minorVersion: 1,
    host: "gw.example:80",
    body: 5,
    keepsAlive: true,
    waitsForContinue: false,
  });
  expect(listFields(head)).toEqual([
    ["host", "gw.example:80"],
    ["x-one", "two words"],
    ["content-length", "5"],
    ["x-one", "three"],
  ]);
  expect(whole?.restAt).toBe(text.indexOf("hello"));
});

test("a request target is a path, an absolute URL, or `*` for OPTIONS", () => {
  const targetOf = (line: string) => {
    const head = cut(`${line} HTTP/1.1\r\nhost: a\r\n\r\n`)?.head;
    return typeof head === "object" ? head.target : head;
  };
  expect(targetOf("GET http://other.example:80/v1/models?x=1")).toBe("/v1/models?x=1");
  expect(targetOf("GET HTTPS://other")).toBe("/");
  expect(targetOf("GET http://other?x")).toBe("/?x");
  expect(targetOf("OPTIONS *")).toBe("*");
  expect(targetOf("GET /\xe7\xbd\x91?q=\xe5")).toBe("/%E7%BD%91?q=%E5");
  for (const address of ["*", "v1", "ftp://a/b", "http:///a", "/a#b", "http://u@h/", "//", "/ a"]) {
    const expected = address === "//" ? "//" : 400;
    expect([address, targetOf(`GET ${address}`)]).toEqual([address, expected]);
  }
});

test("P-N3: a head that two parsers could read differently is refused", () => {
  for (const lines of [
    ["Content-Length: 5", "Transfer-Encoding: chunked"],
    ["Transfer-Encoding: chunked", "Content-Length: 0"],
    ["Content-Length: 5", "Content-Length: 5"],
    ["Content-Length: 5", "content-length: 6"],
    ["Content-Length:", "Content-Length: 5"],
    ["Content-Length: 5, 5"],
    ["Content-Length: +5"],
    ["Content-Length: -5"],
    ["Content-Length: 0x5"],
    ["Content-Length: 5 5"],
    ["Content-Length: 5;"],
    ["Content-Length: "],
    ["Content-Length: 1e2"],
    ["Content-Length: ١"],
    ["Content-Length: \xa05"],
    [`Content-Length: ${"9".repeat(16)}`],
    ["Content-Length : 5"],
    ["Content-Length\t: 5"],
    [" Content-Length: 5"],
    ["X: 1", " folded"],
    ["X: 1", "\tfolded"],
    ["Transfer-Encoding: identity"],
    ["Transfer-Encoding: chunked, chunked"],
    ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
    ["Transfer-Encoding: gzip, chunked"],
    ["Transfer-Encoding: chunked, identity"],
    ["Transfer-Encoding: xchunked"],
    ["Transfer-Encoding: chunked;q=1"],
    ['Transfer-Encoding: "chunked"'],
    ["Transfer-Encoding:"],
    ["Transfer-Encoding: \x0bchunked"],
    ["Transfer-Encoding\x00: chunked"],
    ["Transfer-Encoding : chunked"],
    ["Host: other"],
    ["X: a\x00b"],
    ["X: a\rb"],
    ["X: a\nContent-Length: 5"],
    ["X: a\x7fb"],
    ["X\x80: a"],
    ["X(: a"],
    [": a"],
    ["X"],
    ["X: a\r\rY: b"],
  ]) {
    expect([lines, withLines(...lines)]).toEqual([lines, 400]);
  }
});

test("P-N3: unambiguous lengths and encodings are accepted in any spelling", () => {
  for (const [line, body] of [
    ["Content-Length: 0", 0],
    ["CONTENT-LENGTH:007", 7],
    ["content-length: \t 12 \t", 12],
    ["Transfer-Encoding: chunked", "chunked"],
    ["transfer-encoding:CHUNKED ", "chunked"],
    ["X-Content-Length: 5", 0],
    ["X: Content-Length: 5", 0],
  ] as const) {
    expect([line, withLines(line)]).toEqual([line, expect.objectContaining({ body })]);
  }
});

test("P-N3: request lines have only one reading", () => {
  for (const [line, status] of [
    ["GET / HTTP/1.1 ", 400],
    ["GET  / HTTP/1.1", 400],
    [" GET / HTTP/1.1", 400],
    ["GET\t/ HTTP/1.1", 400],
    ["GET / http/1.1", 400],
    ["GET / HTTP/1.1x", 400],
    ["GET /", 400],
    ["GET", 400],
    ["G{T / HTTP/1.1", 400],
    ["GET /\x00 HTTP/1.1", 400],
    ["GET /\x7f HTTP/1.1", 400],
    ["GET / HTTP/01.1", 400],
    ["GET / HTTP/2.0", 505],
    ["GET / HTTP/0.9", 505],
    ["GET / HTTP/1.2", 505],
    ["CONNECT gw:443 HTTP/1.1", 501],
    ["TRACE / HTTP/1.1", 501],
    ["get / HTTP/1.1", 501],
    ["BREW / HTTP/1.1", 501],
  ] as const) {
    expect([line, cut(`${line}\r\nhost: a\r\n\r\n`)?.head]).toEqual([line, status]);
  }
});

test("P-N3: HTTP/1.1 requires exactly one host, HTTP/1.0 at most one", () => {
  const headOf = (text: string) => cut(`${text}\r\n\r\n`)?.head;
  expect(headOf("GET / HTTP/1.1")).toBe(400);
  expect(headOf("GET / HTTP/1.1\r\nhost: a\r\nhost: a")).toBe(400);
  for (const host of ["a b", "a/b", "u@a", "a,b", "a?b", "a#b", "\xe4"]) {
    expect([host, headOf(`GET / HTTP/1.1\r\nhost: ${host}`)]).toEqual([host, 400]);
  }
  expect(headOf("GET / HTTP/1.1\r\nhost:")).toMatchObject({ host: "" });
  expect(headOf("GET / HTTP/1.1\r\nhost: [::1]:80")).toMatchObject({ host: "[::1]:80" });
  expect(headOf("GET / HTTP/1.0")).toMatchObject({ host: "", keepsAlive: false });
  expect(headOf("GET / HTTP/1.0\r\nhost: a\r\nhost: b")).toBe(400);
  expect(headOf("POST / HTTP/1.0\r\ntransfer-encoding: chunked")).toBe(400);
});

test("a connection is kept alive according to version and `connection` field", () => {
  for (const [version, line, kept] of [
    ["1.1", "x: y", true],
    ["1.1", "connection: close", false],
    ["1.1", "connection: x, CLOSE", false],
    ["1.1", "connection: keep-alive", true],
    ["1.1", "connection: upgrade\r\nupgrade: websocket", false],
    ["1.1", "connection: upgrade\r\nupgrade: h2c, websocket", false],
    ["1.1", "connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMA", true],
    ["1.0", "x: y", false],
    ["1.0", "connection: Keep-Alive", true],
    ["1.0", "connection: keep-alive, close", false],
  ] as const) {
    const head = cut(`GET / HTTP/${version}\r\nhost: a\r\n${line}\r\n\r\n`)?.head;
    expect([line, head]).toEqual([line, expect.objectContaining({ keepsAlive: kept })]);
  }
});

test("`expect` may only be `100-continue`", () => {
  expect(withLines("Expect: 100-Continue")).toMatchObject({ waitsForContinue: true });
  expect(withLines("Expect: 200-ok")).toBe(417);
  expect(withLines("Expect: 100-continue", "Expect: 100-continue")).toBe(417);
});

test("a head is limited in length and number of fields", () => {
  const line = (length: number) => `GET /${"a".repeat(length - 14)} HTTP/1.1`;
  const fits = cut(`${line(requestLineBytesMax)}\r\nhost: a\r\n\r\n`)?.head;
  expect(fits).toMatchObject({ method: "GET" });
  expect(cut(`${line(requestLineBytesMax + 1)}\r\nhost: a\r\n\r\n`)?.head).toBe(414);
  const fields = (count: number) => Array.from({ length: count }, (_, index) => `x${index}: y`);
  expect(withLines(...fields(fieldsMax - 1))).toMatchObject({ method: "POST" });
  expect(withLines(...fields(fieldsMax))).toBe(431);
  const start = "GET / HTTP/1.1\r\nhost: a\r\nx: ";
  const filled = start + "y".repeat(headBytesMax - start.length);
  expect(cut(`${filled}\r\n\r\n`)?.head).toMatchObject({ method: "GET" });
  expect(cut(`${filled}y\r\n\r\n`)?.head).toBe(431);
});

test("an invalid head is refused as soon as that is known", () => {
  expect(cut("GET / HTTP/1.1\r\nhost: a\r\n")).toBeUndefined();
  expect(cut("GET / HTTP/1.1\nhost: a\n\n")?.head).toBe(400);
  expect(cut("\nGET /")?.head).toBe(400);
  expect(cut("x".repeat(headBytesMax + 1))?.head).toBe(414);
  expect(cut(`GET / HTTP/1.1\r\nx: ${"y".repeat(headBytesMax)}`)?.head).toBe(431);
  // Old clients send an additional line end after a body, before the next request.
  expect(cut("\r\n\r\nGET / HTTP/1.1\r\nhost: a\r\n\r\n")?.head).toMatchObject({ target: "/" });
  expect(cut("\r\n\r\n")).toBeUndefined();
});

test("a head in many pieces is searched once: what was searched before is not looked at", () => {
  const text = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
  for (let cutAt = 0; cutAt < text.length; cutAt += 1) {
    expect([cutAt, cut(text.slice(0, cutAt))]).toEqual([cutAt, undefined]);
    const found = cutHead(Buffer.from(text), cutAt)?.head;
    expect([cutAt, found]).toEqual([cutAt, expect.objectContaining({ host: "a" })]);
  }
  const searched = Buffer.from(`GET / HTTP/1.1\nhost: a\r\n\r\nx`);
  expect(cutHead(searched)?.head).toBe(400);
  expect(cutHead(searched, searched.length)).toBeUndefined();
});
