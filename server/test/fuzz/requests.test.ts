import { expect } from "bun:test";
import { newBodyReader, feedBody } from "#http1/body-reader.ts";
import { cutHead, listFields, type RequestHead, requestBodyRules } from "#http/request-head.ts";
import type { Random } from "#base/testing/random.ts";
import { fuzz } from "./fuzz.ts";
import { play, requestBytes } from "./played.ts";

/**
 * Cuts the bytes into pieces of 1 to 40 bytes. Each gets memory of its own, like what a socket
 * delivers.
 */
function parted(random: Random, bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = Math.min(at + random.between(1, random.pick([1, 4, 40])), bytes.length);
    pieces.push(Buffer.from(bytes.subarray(at, end)));
    at = end;
  }
  return pieces;
}

fuzz("P-N3: requests mean the same however their bytes arrive", (random) => {
  const bytes = requestBytes(random);
  const whole = play([Buffer.from(bytes)]);
  const parts = play(parted(random, bytes));
  if (Bun.deepEquals(parts, whole)) return;
  expect(parts).toEqual(whole);
});

fuzz("P-N3: a request that is taken, written plainly, is read as the same request", (random) => {
  const bytes = requestBytes(random);
  const cut = cutHead(bytes);
  if (cut === undefined || typeof cut.head === "number") return;
  const again = cutHead(Buffer.from(plain(cut.head), "latin1"))?.head;
  if (!Bun.deepEquals(meaning(again), meaning(cut.head))) {
    expect(meaning(again)).toEqual(meaning(cut.head));
  }
  const { body } = cut.head;
  if (typeof body !== "number") return;
  const reader = newBodyReader(body, requestBodyRules);
  const rest = bytes.subarray(cut.restAt);
  const length = body === 0 ? 0 : feedBody(reader, rest).length;
  if (length !== Math.min(body, rest.length)) throw new Error("a body of another length");
});

function plain(head: RequestHead): string {
  const fields = listFields(head).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${head.method} ${head.target} HTTP/1.${head.minorVersion}\r\n${fields.join("")}\r\n`;
}

function meaning(head: RequestHead | number | undefined) {
  if (typeof head !== "object") return head;
  const { fields: _, ...rest } = head;
  return { ...rest, list: listFields(head) };
}
