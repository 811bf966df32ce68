/** Clients that are idle, slow or gone. */

import { expect, test } from "bun:test";
import type { ResponseSink } from "./client-request.ts";
import { arrivesFirst, eventually, staysTrue, untilStill } from "#base/testing/waiting.ts";
import { bodyMsMax } from "./exchange-body.ts";
import { silenceMsMax } from "./server-connection.ts";
import { keepAliveSecondsUsual } from "./server.ts";
import { stalledMsMax } from "./server-events.ts";
import { echo, requestText, responsesIn, testServers } from "./testing/server.ts";

const open = testServers();

test("P-K2: every kind of disconnect is noticed", async () => {
  const came: string[] = [];
  const left: string[] = [];
  const server = open((request) => {
    request.onDisconnect(() => left.push(request.url));
    came.push(request.url);
  });
  for (const way of ["destroy", "resetAndDestroy", "end"] as const) {
    const { socket, send } = server.dial();
    send(requestText(`GET /${way}`));
    await eventually(() => came.includes(`/${way}`));
    socket[way]();
  }
  // A client that closed its side may still read, so it counts as disconnected only after a second.
  await eventually(() => {
    server.skipMs += 10;
    return left.length === 3;
  });
  expect(left.toSorted()).toEqual(["/destroy", "/end", "/resetAndDestroy"]);
});

test("a half-closed client counts as connected while it reads", async () => {
  let sink: ResponseSink | null = null;
  let isDisconnected = false;
  const server = open((request) => {
    request.onDisconnect(() => (isDisconnected = true));
    sink = request.stream({ status: 200, headers: {} });
  });
  const client = server.dial();
  client.socket.end(requestText("GET /"));
  await eventually(() => sink !== null);
  await arrivesFirst();
  const open_ = sink as unknown as ResponseSink;
  server.skipMs += 300;
  await server.ticked();
  expect(isDisconnected).toBe(false);
  open_.write(Buffer.from("one"));
  await eventually(() => client.text().includes("one"));
  server.skipMs += 1_500;
  await server.ticked();
  expect(isDisconnected).toBe(false);
  open_.end(Buffer.from("two"));
  await eventually(() => client.end() === "whole");
  expect(client.text()).toEndWith("\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n");
  expect(isDisconnected).toBe(false);
});

test("P-K3: idle connections, slow heads and stalled bodies are cut off", async () => {
  const server = open(echo);
  const { dial } = server;
  const silent = dial();
  const drips = dial();
  drips.send("GET / HT");
  const stops = dial();
  stops.send(requestText("POST /", ["content-length: 10"], "x"));
  const next = dial();
  next.send(`${requestText("GET /used")}GET /ne`);
  await eventually(() => next.text() !== "");
  await arrivesFirst();
  server.skipMs += silenceMsMax - 2_000;
  drips.send("TP/1.1\r\n");
  const all = [silent, drips, stops, next];
  await staysTrue(() => all.every((client) => client.end() === "open"), 400);
  server.skipMs += 2_500;
  await eventually(() => all.every((client) => client.end() === "whole"));
  expect(silent.text()).toBe("");
  expect(drips.text()).toStartWith("HTTP/1.1 408 Request Timeout\r\n");
  expect(responsesIn(stops.text())).toEqual(["400 POST / too-slow"]);
  expect(responsesIn(next.text()).map((text) => text.slice(0, 3))).toEqual(["200", "408"]);
});

test("a body that drips above the lowest rate is given up after five minutes", async () => {
  const server = open(echo);
  const client = server.dial();
  client.send(requestText("POST /", ["content-length: 900000"]));
  // At the lowest rate, so many bytes may take longer than five minutes.
  client.send(" ".repeat(800_000));
  await arrivesFirst();
  await server.ticked();
  const stepMs = silenceMsMax - 100;
  while (server.skipMs + stepMs < bodyMsMax) {
    server.skipMs += stepMs;
    await server.ticked();
    client.send(" ");
    await arrivesFirst();
  }
  expect(client.text()).toBe("");
  server.skipMs = bodyMsMax;
  await eventually(() => client.text() !== "");
  expect(responsesIn(client.text())).toEqual(["400 POST / too-slow"]);
}, 30_000);

test("a used connection is kept for its next request, for somewhat longer than the client is told", async () => {
  const server = open(echo);
  const client = server.dial();
  client.send(requestText("GET /one"));
  await eventually(() => client.text().endsWith("/one "));
  // An additional line end, as old clients send it, is no request.
  client.send("\r\n");
  await arrivesFirst();
  const told = Number(/\r\nkeep-alive: timeout=(\d+)\r\n/.exec(client.text())?.[1]);
  expect(told).toBe(keepAliveSecondsUsual);
  expect(client.text()).toContain("\r\nconnection: keep-alive\r\n");
  server.skipMs += told * 1_000;
  await staysTrue(() => client.end() === "open", 600);
  client.send(requestText("GET /two"));
  await eventually(() => client.text().endsWith("/two "));
  server.skipMs += told * 1_000 + 3_000;
  await eventually(() => client.end() === "whole");
  expect(responsesIn(client.text())).toEqual(["200 GET /one ", "200 GET /two "]);
});

const sendAndReset = `
  const { PORT, REQUEST } = process.env;
  const socket = require("node:net").connect(Number(PORT), "127.0.0.1", () =>
    socket.write(REQUEST, () => socket.resetAndDestroy()),
  );`;

test("a client that is gone before it has an address is dropped", async () => {
  const peers: unknown[] = [];
  const { dial, server } = open((request) => {
    peers.push(request.peer);
    echo(request);
  });
  // This process does not run meanwhile, so the connection is reset before it is accepted.
  const { exitCode } = Bun.spawnSync([process.execPath, "-e", sendAndReset], {
    env: { ...process.env, PORT: String(server.port), REQUEST: requestText("GET /gone") },
  });
  expect(exitCode).toBe(0);
  const client = dial();
  client.send(requestText("GET /here"));
  await eventually(() => client.text().endsWith("/here "));
  expect(new Set(peers)).toEqual(new Set(["127.0.0.1"]));
});

test("P-K1: a stream waits for a client that does not read, which is cut off after a minute", async () => {
  let written = 0;
  let isDisconnected = false;
  const server = open((request) => {
    const sink = request.stream({ status: 200, headers: {} });
    const pour = (): void => {
      while (sink?.isFull() === false && !isDisconnected) {
        written += 65_536;
        sink.write(Buffer.alloc(65_536, 97));
      }
    };
    request.onDisconnect(() => (isDisconnected = true));
    sink?.onDrained(pour);
    pour();
  });
  const client = server.dial();
  client.socket.pause();
  client.send(requestText("GET /"));
  await eventually(() => written > 0);
  await untilStill(() => written);
  const before = written;
  // Without a limit on unsent bytes the kernel takes about 4 MB for each client that has stopped
  // reading, and all of it passes through the process. Only Linux supports the limit.
  if (process.platform === "linux") expect(before).toBeLessThan(1_500_000);
  // When the client reads again, it gets the buffered bytes, and the stream continues.
  client.socket.resume();
  await eventually(() => written > before + 1_000_000);
  client.socket.pause();
  await untilStill(() => written);
  server.skipMs += stalledMsMax - 5_000;
  await staysTrue(() => !isDisconnected, 500);
  server.skipMs += 6_000;
  await eventually(() => isDisconnected);
});

test("pipelined requests wait unread while the response is not taken", async () => {
  let answered = 0;
  const server = open((request) => {
    answered += 1;
    request.respond({ status: 200, headers: {}, body: Buffer.alloc(8_000_000) });
  });
  const client = server.dial();
  client.socket.pause();
  for (let index = 0; index < 50; index += 1) client.send(requestText("GET /"));
  await eventually(() => answered > 0);
  await staysTrue(() => answered < 5, 300);
});
