/** Runs the HTTP server's own code on given bytes, without a network. */

import type { Socket } from "bun";
import { pumpBody } from "#http/exchange-body.ts";
import { ClientExchange, refuse } from "#http/exchange.ts";
import {
  type Connection,
  type Exchange,
  openConnection,
  type ServerState,
} from "#http/server-connection.ts";
import { received } from "#http/server-events.ts";
import type { Random } from "#base/testing/random.ts";
import { mutate } from "./fuzz.ts";

/** A request that the server took, and what it made of it. */
export type AskedRequest = {
  readonly method: string;
  readonly url: string;
  readonly fields: [name: string, value: string][];
  /** How the body ended: `whole`, or what was wrong with it. */
  readonly end: string;
  readonly body: string;
};

type Played = {
  readonly asked: readonly AskedRequest[];
  /** What the server sent, without dates and `100 Continue`. */
  readonly sent: string;
  readonly isOver: boolean;
};

const samples = [
  "GET /v1/models?a=b HTTP/1.1\r\nHost: gw\r\nAccept: */*\r\n\r\n",
  'POST /v1/chat HTTP/1.1\r\nHost: gw\r\nContent-Length: 7\r\n\r\n{"a":1}',
  'POST /v1/chat HTTP/1.1\r\nhost: gw\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\na;x="y"\r\n0123456789\r\n0\r\nX: y\r\n\r\n',
  "POST / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
  "PUT http://gw:80/x HTTP/1.1\r\nHost: gw:80\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n!",
  "OPTIONS * HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n",
  "GET /h2 HTTP/1.1\r\nHost: gw\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n\r\n",
];

/** Texts that attackers use to make two HTTP parsers disagree. */
const tricks = [
  "Content-Length: 5\r\n",
  "Content-Length: 0\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Transfer-Encoding: identity\r\n",
  "Transfer-Encoding:\tchunked\t\r\n",
  "Transfer-Encoding:\xa0chunked\r\n",
  "Content-Length:\xa05\r\n",
  "Content-Length: 5, 5\r\n",
  "Connection: close\r\n",
  "Connection: -keep-alive\r\n",
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

/** Returns the bytes of a connection: requests, or what attackers make of them. */
export function requestBytes(random: Random): Buffer {
  let text = mutate(random, samples);
  for (let more = random.between(0, 2); more > 0; more -= 1) {
    const at = random.between(0, text.length);
    text = text.slice(0, at) + random.pick(tricks) + text.slice(at);
  }
  return Buffer.from(text + mutate(random, samples), "latin1");
}

/**
 * Feeds the pieces to the server's connection one after the other. Returns the requests that the
 * server read and the bytes that it sent.
 */
export function play(pieces: readonly Buffer[]): Played {
  const asked: AskedRequest[] = [];
  let sent = "";
  let isOver = false;
  const server: ServerState = {
    connections: new Set(),
    nowMs: () => 0,
    tickedMs: 0,
    draining: false,
    keepAliveSeconds: 75,
    resting: { add() {} },
    keepAliveField: "",
    newExchange: (connection, head, dueMs) => new ClientExchange(connection, head, dueMs),
    answer(request) {
      // `newExchange` made it.
      const exchange = request as Exchange;
      let body = "";
      exchange.bodyTaker = (part) => {
        if (typeof part !== "string") {
          body += part.toString("latin1");
          return;
        }
        const { method, url } = request;
        const isWhole = part === "whole";
        asked.push({ method, url, fields: request.fields(), end: part, body: isWhole ? body : "" });
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
