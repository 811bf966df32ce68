/**
 * Every request that the HTTP server takes, llhttp must read as the same request. llhttp may take
 * more: what it takes and the server refuses can smuggle nothing past the server.
 */

import { expect, test } from "bun:test";
import { fuzz } from "./fuzz.ts";
import { judge, type JudgedRequest } from "./llhttp.ts";
import { type AskedRequest, play, requestBytes } from "./played.ts";

test("the judge reads requests, with their bodies, and finds what is wrong", () => {
  const good =
    "POST http://a/b HTTP/1.1\r\nHost: a\r\nX:  y \r\ntransfer-encoding: chunked\r\n\r\n";
  const found = judge(
    Buffer.from(`${good}3;x=y\r\nabc\r\n0\r\nt: u\r\n\r\nGET / HTTP/1.0\r\n\r\n`),
  );
  expect(found.requests.map(({ method, body, isWhole }) => [method, body, isWhole])).toEqual([
    ["POST", "abc", true],
    ["GET", "", true],
  ]);
  expect(found.requests[0]?.fields).toEqual([
    ["host", "a"],
    ["x", "y"],
    ["transfer-encoding", "chunked"],
    ["t", "u"],
  ]);
  expect(judge(Buffer.from(`${good}x\r\n`)).error).toBe("INVALID_CHUNK_SIZE");
});

fuzz("P-N3: llhttp reads every request that is taken as the same request", (random) => {
  const bytes = requestBytes(random);
  const found = judge(bytes);
  const plain = Buffer.from(withoutQuirks(bytes.toString("latin1"), found.error), "latin1");
  compare(play([Buffer.from(plain)]).asked, judge(plain).requests);
});

/** Replaces what llhttp is known to refuse although it is unambiguous, if it stopped at that. */
function withoutQuirks(text: string, error: string): string {
  switch (error) {
    // Bytes beyond ASCII in an address, which the server percent-encodes.
    case "INVALID_URL":
      return text.replaceAll(/[\x80-\xff]/g, "a");
    // A tab behind a length or a coding (RFC 9110, section 5.6.3).
    case "INVALID_CONTENT_LENGTH":
    case "INVALID_TRANSFER_ENCODING":
      return text.replaceAll(/[\t ]+(?=\r\n)/g, " ");
    default:
      return text;
  }
}

/** Compares the requests of one connection, up to the first whose body did not end well. */
function compare(asked: readonly AskedRequest[], judged: readonly JudgedRequest[]): void {
  for (const [index, { end, fields, ...ours }] of asked.entries()) {
    if (end !== "whole") return;
    const theirs = judged[index];
    const { method, url, body } = theirs ?? { method: "", url: "", body: "" };
    const same = { request: { ...ours, fields }, isWhole: true };
    const found = {
      // llhttp gives trailers as fields; the server drops them.
      request: { method, url: pathOf(url), body, fields: theirs?.fields.slice(0, fields.length) },
      isWhole: theirs?.isWhole === true,
    };
    if (!Bun.deepEquals(found, same)) expect(found).toEqual(same);
  }
}

/** Returns path and query of a request line's target, which may be an absolute URL. */
function pathOf(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?]*/i, "");
  return path === "" || path.startsWith("?") ? `/${path}` : path;
}
