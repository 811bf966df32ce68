/**
 * Every answer that the HTTP client takes for whole, llhttp must read as the same answer. What is
 * left over of it, or taken from the next one, would be given to another call.
 */

import { expect, test } from "bun:test";
import { close, feed, newResponseReader } from "#network/response.ts";
import type { Random } from "#base/testing/random.ts";
import { fuzz, mutate } from "./fuzz.ts";
import { judgeAnswers } from "./llhttp.ts";

const samples = [
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}',
  "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\na;x=y\r\n0123456789\r\n0\r\nX: y\r\n\r\n",
  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\nno",
  "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
  "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
  "HTTP/1.1 200\r\nConnection: close\r\n\r\nuntil the end",
  "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
];

/** Texts on which readers of answers have disagreed. */
const tricks = [
  "Content-Length: 5\r\n",
  "Content-Length: 0\r\n",
  "Content-Length:\r\n",
  "Content-Length: 5, 5\r\n",
  "Content-Length:\xa05\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Transfer-Encoding:\r\n",
  "Transfer-Encoding: identity\r\n",
  "Transfer-Encoding:\xa0chunked\r\n",
  "Transfer-Encoding: gzip, chunked\r\n",
  "Connection: close\r\n",
  "Connection: -keep-alive\r\n",
  "HTTP/1.1 200 OK\r\n\r\n",
  "HTTP/1.1 100 Continue\r\n\r\n",
  "HTTP/1.0",
  "\r\n ",
  "\r\n\r\n",
  "\r",
  "\n",
  " :",
  "0\r\n\r\n",
  "1\r\n",
  ";",
  "\0",
];

function answerBytes(random: Random): string {
  let text = mutate(random, samples);
  for (let more = random.between(0, 2); more > 0; more -= 1) {
    const at = random.between(0, text.length);
    text = text.slice(0, at) + random.pick(tricks) + text.slice(at);
  }
  return Buffer.from(text, "latin1").toString("latin1");
}

/** Reads an answer as the client does whose connection ends behind it; null: it is not whole. */
function read(text: string, ends: boolean) {
  const reader = newResponseReader();
  const body = Buffer.from(feed(reader, Buffer.from(text, "latin1"))).toString("latin1");
  const isWhole = ends ? close(reader) : reader.phase === "done";
  const { head, reusable } = reader;
  return isWhole && head !== null ? { status: head.status, body, reusable } : null;
}

/** Reads an answer as llhttp does; null: it is not whole. */
function readByJudge(text: string) {
  const { error, requests: answers } = judgeAnswers(Buffer.from(text, "latin1"));
  const found = answers.find(({ status }) => status >= 200);
  if (found === undefined) return { error, answer: null };
  const { body, isWhole, keepsAlive, status } = found;
  return { error, answer: { status, body, isWhole, reusable: keepsAlive } };
}

test("the judge reads answers behind interim heads, and says which end with the connection", () => {
  expect(readByJudge(samples[2] ?? "").answer).toMatchObject({ status: 429, body: "no" });
  expect(readByJudge(samples[1] ?? "").answer).toMatchObject({ body: "abc0123456789" });
  expect(readByJudge(samples[5] ?? "").answer).toMatchObject({
    body: "until the end",
    isWhole: false,
  });
});

/** Replaces what llhttp is known to refuse although it is unambiguous. */
function withoutQuirks(text: string): string {
  const [interim = ""] = /^(?:HTTP\/1\.[01] 1\d\d(?:(?!\r\n\r\n)[^])*\r\n\r\n)+/.exec(text) ?? [];
  // Fields of interim heads, which have no body and are ignored.
  const plain = interim.replaceAll(/\r\n[^\r\n]+:[^\r\n]*/g, "") + text.slice(interim.length);
  return (
    plain
      // Blanks and extensions behind a chunk's length, which are ignored; old servers have blanks.
      .replaceAll(/(?<=\n[0-9A-Fa-f]+)[\t ]*(?:;[^\r\n]*)?(?=\r\n)/g, "")
      // A tab behind a length or a coding (RFC 9110, section 5.6.3).
      .replaceAll(/[\t ]+(?=\r\n)/g, " ")
  );
}

fuzz("P-N3: llhttp reads every answer that is taken as the same answer", (random) => {
  const text = withoutQuirks(answerBytes(random));
  const ours = read(text, false);
  const { answer, error } = readByJudge(text);
  if (ours === null) {
    const last = read(text, true);
    // Ends with the connection: status and body are all there is to compare.
    if (last !== null) expect([error, answer]).toMatchObject(["", { ...last, reusable: false }]);
    return;
  }
  const { reusable, ...same } = ours;
  expect([error, answer]).toMatchObject([answer?.isWhole === true ? error : "", same]);
  expect(answer?.isWhole, error).toBe(true);
  // What llhttp would not keep must not carry another call.
  if (reusable) expect(answer?.reusable).toBe(true);
});
