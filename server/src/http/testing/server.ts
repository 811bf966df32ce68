/** A server for tests, whose handler is given by the test, and raw connections to the server. */

import { afterEach, expect } from "bun:test";
import { connect, type Socket } from "node:net";
import { openByteBudget } from "#base/memory/byte-budget.ts";
import { eventually } from "#base/testing/waiting.ts";
import type { ClientRequest } from "#http/client-request.ts";
import { type HttpServer, openServer } from "#http/server.ts";

type TestServer = {
  readonly server: HttpServer;
  /**
   * Milliseconds by which a test has moved the server's clock, which measures all time limits and
   * stands still otherwise.
   */
  skipMs: number;
  /** Waits until the server has checked its time limits with its present clock. */
  ticked(): Promise<void>;
  readonly bugs: unknown[];
  dial(): TestClient;
};

type TestClient = {
  readonly socket: Socket;
  /** Returns everything the client received, one character per byte. */
  text(): string;
  /** Returns how the server ended the connection; `open`: it has not. */
  end(): "broken" | "open" | "whole";
  send(text: string): void;
};

/**
 * Returns a function that opens a server. Each test may open one; after the test it is stopped, and
 * must have met no bug.
 */
export function testServers(): typeof openTestServer {
  let opened: TestServer | undefined;
  afterEach(() => {
    opened?.server.stop();
    expect(opened?.bugs).toEqual([]);
  });
  return (answer) => (opened = openTestServer(answer));
}

function openTestServer(answer: (request: ClientRequest) => void): TestServer {
  let skipMs = 0;
  /**
   * How often the server has read its clock: once for all connections, when it checks limits, and
   * when a connection opens.
   */
  let clockReads = 0;
  const bugs: unknown[] = [];
  const clients: Socket[] = [];
  const server = openServer({
    host: "127.0.0.1",
    port: 0,
    nowMs() {
      clockReads += 1;
      return 1_000_000 + skipMs;
    },
    onBug: (error) => void bugs.push(error),
    answer,
  });
  return {
    server: {
      ...server,
      stop() {
        for (const socket of clients) socket.destroy();
        server.stop();
      },
    },
    bugs,
    get skipMs() {
      return skipMs;
    },
    set skipMs(ms) {
      skipMs = ms;
    },
    async ticked() {
      const before = clockReads;
      // The first may be the one of a connection that opens.
      await eventually(() => clockReads > before + 1);
    },
    dial() {
      const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
      clients.push(socket);
      return watch(socket);
    },
  };
}

function watch(socket: Socket): TestClient {
  let text = "";
  let end: "broken" | "open" | "whole" = "open";
  socket.on("data", (bytes) => (text += bytes.toString("latin1")));
  socket.on("error", () => {
    if (end === "open") end = "broken";
  });
  socket.on("end", () => (end = "whole"));
  socket.on("close", () => {
    if (end === "open") end = "broken";
  });
  return {
    socket,
    text: () => text,
    end: () => end,
    send: (sent) => void socket.write(Buffer.from(sent, "latin1")),
  };
}

/**
 * Returns the text of a request with this request line, a host, further header lines and a body.
 */
export function requestText(first: string, lines: readonly string[] = [], body = ""): string {
  const version = /HTTP\/1\.\d$/.test(first) ? "" : " HTTP/1.1";
  return `${[`${first}${version}`, "host: gw", ...lines].join("\r\n")}\r\n\r\n${body}`;
}

/** Answers a request with its own method, target and body. */
export function echo(request: ClientRequest): void {
  const reading = request.readBody(1_000_000, openByteBudget(64 * 1024 * 1024), 0);
  const respond = (body: Buffer | string): void =>
    request.respond({
      status: typeof body === "string" ? 400 : 200,
      headers: { "content-type": "text/plain" },
      body: `${request.method} ${request.url} ${body.toString("latin1")}`,
    });
  if (reading instanceof Promise) void reading.then(respond);
  else respond(reading);
}

/**
 * Returns the statuses and bodies of the responses in `text`, which all have a `content-length`.
 */
export function responsesIn(text: string): string[] {
  const found: string[] = [];
  for (let rest = text; rest !== "";) {
    const end = rest.indexOf("\r\n\r\n");
    const length = /\r\ncontent-length: (\d+)\r\n/.exec(rest.slice(0, end + 2))?.[1];
    if (end < 0 || length === undefined) throw new Error(`no response: ${rest}`);
    const to = end + 4 + Number(length);
    found.push(`${rest.slice(9, 12)} ${rest.slice(end + 4, to)}`);
    rest = rest.slice(to);
  }
  return found;
}
