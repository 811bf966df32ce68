import { expect } from "bun:test";
import type { Socket } from "bun";
import { newBodyReader, feedBody } from "#http/request-body.ts";
import {
  type Connection,
  type Exchange,
  type ServerState,
  openConnection,
} from "#http/server-connection.ts";
import { pumpBody } from "#http/exchange-body.ts";
import { received } from "#http/server-events.ts";
import { refuse, requestOf } from "#http/exchange.ts";
import { cutHead, listFields, type RequestHead } from "#http/request-head.ts";
import type { Random } from "#base/testing/random.ts";
import { fuzz, mutate } from "./fuzz.ts";

const samples = [
  "GET /v1/models?a=b HTTP/1.1\r\nHost: gw\r\nAccept: */*\r\n\r\n",
  'POST /v1/chat HTTP/1.1\r\nHost: gw\r\nContent-Length: 7\r\n\r\n{"a":1}',
  'POST /v1/chat HTTP/1.1\r\nhost: gw\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\na;x="y"\r\n0123456789\r\n0\r\nX: y\r\n\r\n',
  "POST / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
  "PUT http://gw:80/x HTTP/1.1\r\nHost: gw:80\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n!",
  "OPTIONS * HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n",
];

/** Texts that attackers use to make two HTTP parsers disagree. */
const tricks = [
  "Content-Length: 5\r\n",
  "Content-Length: 0\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Transfer-Encoding: identity\r\n",
  "Host: b\r\n",
  "GET / HTTP/1.1\r\n",
  "HTTP/1.0",
  "HTTP/1.1",
  "\r\n ",
  "\r\n\t",
  "\r\n\r\n",
  "\r",
  "\n",
  " :",
  ":\r\n",
  "0\r\n\r\n",
  "1\r\n",
  ";",
  "\0",
];

function input(random: Random): string {
  let text = mutate(random, samples);
  for (let more = random.between(0, 2); more > 0; more -= 1) {
    const at = random.between(0, text.length);
    text = text.slice(0, at) + random.pick(tricks) + text.slice(at);
  }
  return text + mutate(random, samples);
}

/**
 * Feeds the pieces to the server's connection one after the other. Returns the requests that the
 * server read and the bytes that it sent.
 */
function play(pieces: readonly Buffer[]): { asked: string[]; sent: string; isOver: boolean } {
  const asked: string[] = [];
  let sent = "";
  let isOver = false;
  const exchanges = new WeakMap<object, Exchange>();
  const server: ServerState = {
    connections: new Set(),
    nowMs: () => 0,
    tickedMs: 0,
    draining: false,
    keepAliveSeconds: 75,
    keepAliveField: "",
    requestOf(exchange) {
      const request = requestOf(exchange);
      exchanges.set(request, exchange);
      return request;
    },
    answer(request) {
      const exchange = exchanges.get(request);
      let body = "";
      if (exchange === undefined) throw new Error("no exchange");
      exchange.takeBody = (part) => {
        if (typeof part !== "string") {
          body += part.toString("latin1");
          return;
        }
        asked.push(
          `${request.method} ${request.url} ${JSON.stringify(request.fields())} ${part}` +
            (part === "whole" ? ` ${body}` : ""),
        );
        request.respond({ status: 200, headers: {}, body: null });
      };
      pumpBody(exchange);
    },
    refuse,
  };
  // A stand-in with the part of a socket that connections use.
  const socket = {
    remoteAddress: "127.0.0.1",
    write(bytes: Buffer, from = 0, length = bytes.length) {
      sent += bytes.toString("latin1", from, from + length);
      return length;
    },
    shutdown() {
      isOver = true;
    },
    pause() {},
    resume() {},
    terminate() {},
  } as unknown as Socket<Connection>;
  const connection = openConnection(server, socket);
  for (const piece of pieces) received(connection, piece);
  return {
    asked,
    sent: sent.replaceAll(/date: .*\r\n|HTTP\/1.1 100 Continue\r\n\r\n/g, ""),
    isOver,
  };
}

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
  const bytes = Buffer.from(input(random), "latin1");
  const whole = play([Buffer.from(bytes)]);
  const parts = play(parted(random, bytes));
  if (Bun.deepEquals(parts, whole)) return;
  expect(parts).toEqual(whole);
});

fuzz("P-N3: a request that is taken, written plainly, is read as the same request", (random) => {
  const bytes = Buffer.from(input(random), "latin1");
  const cut = cutHead(bytes);
  if (cut === undefined || typeof cut.head === "number") return;
  const again = cutHead(Buffer.from(plain(cut.head), "latin1"))?.head;
  if (!Bun.deepEquals(meaning(again), meaning(cut.head))) {
    expect(meaning(again)).toEqual(meaning(cut.head));
  }
  const { body } = cut.head;
  if (typeof body !== "number") return;
  const reader = newBodyReader(body);
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
