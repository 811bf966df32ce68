import { afterEach, expect, test } from "bun:test";
import { HeldBytes, openByteBudget } from "#base/memory/byte-budget.ts";
import { eventually } from "#base/testing/waiting.ts";
import { openServer } from "#http/server.ts";
import { openAddressBook } from "#network/address-book.ts";
import { newCancellation } from "#network/cancellation.ts";
import { parseTarget } from "#network/target.ts";
import { openTicker } from "#network/ticker.ts";
import { openTransport } from "#network/transport.ts";
import { openWebSocket } from "#network/web-socket-client.ts";
import type { WebSocketEnd, WebSocketListener } from "#websocket/web-socket.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const budget = openByteBudget(64 * 1024 * 1024);
const nowMs = () => performance.now();

/** Starts a server that sends each message back, and keeps how connections ended. */
function startEcho(messageBytesMax = 1_000_000) {
  const ends: string[] = [];
  const server = openServer({
    host: "127.0.0.1",
    port: 0,
    nowMs,
    onBug: (error) => void ends.push(String(error)),
    answer(request) {
      const end = request.acceptWebSocket({
        messageBytesMax,
        held: new HeldBytes({ budget, owner: 1 }),
        chooseProtocol: (offered) => offered.find((name) => name === "realtime") ?? "",
        listener: {
          message: (bytes, isText) => (isText ? end?.sendText(bytes) : end?.send(bytes)),
          drained: () => {},
          closed: (code, reason) => void ends.push(`${code} ${reason}`.trim()),
        },
      });
    },
  });
  stops.push(() => server.stop());
  return { ends, url: `http://127.0.0.1:${server.port}`, port: server.port };
}

async function connect(url: string, listener: Partial<WebSocketListener> = {}) {
  const ticker = openTicker(nowMs);
  const addresses = openAddressBook({ allows: () => true, resolve: async () => [], nowMs });
  const target = parseTarget(`${url}/`);
  if (target === null) throw new Error(url);
  const got: string[] = [];
  const opened = await openWebSocket(
    { transport: openTransport({ addresses, ticker }), ticker },
    {
      target,
      headers: { host: target.host + target.port },
      limits: { connectMs: 5_000, firstByteMs: 5_000, betweenChunksMs: 60_000, totalMs: 600_000 },
      cancellation: newCancellation(),
      held: new HeldBytes({ budget, owner: 2 }),
      protocols: ["other", "realtime"],
    },
    {
      message: (bytes, isText) => void got.push(`${isText ? "text" : "bytes"} ${bytes.toString()}`),
      drained: () => {},
      closed: (code, reason) => void got.push(`closed ${code} ${reason}`.trim()),
      ...listener,
    },
  );
  return { opened, got };
}

function endOf(opened: Awaited<ReturnType<typeof connect>>["opened"]): WebSocketEnd {
  if (opened.kind !== "open") throw new Error(JSON.stringify(opened));
  return opened.end;
}

test("a WebSocket of another program's client is echoed, and closed with code and reason", async () => {
  const { ends, port } = startEcho();
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, ["realtime"]);
  socket.binaryType = "arraybuffer";
  const got: string[] = [];
  socket.addEventListener("message", ({ data }) => {
    got.push(typeof data === "string" ? data : `bytes ${new Uint8Array(data).join()}`);
  });
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  socket.send("hello 网");
  socket.send(new Uint8Array([1, 2, 255]));
  socket.send("x".repeat(70_000));
  await eventually(() => got.length === 3);
  const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener("close", resolve));
  socket.close(4_001, "enough");

  expect((await closed).code).toBe(4_001);
  expect([socket.protocol, got[0], got[1], got[2]?.length]).toEqual([
    "realtime",
    "hello 网",
    "bytes 1,2,255",
    70_000,
  ]);
  expect(ends).toEqual(["4001 enough"]);
});

test("the client talks with another program's server, and both ends may close", async () => {
  const server = Bun.serve({
    port: 0,
    fetch: (request, own) =>
      own.upgrade(request) ? undefined : new Response("no", { status: 400 }),
    websocket: {
      message(socket, message) {
        if (message === "bye") socket.close(4_002, "bye");
        else socket.send(message);
      },
    },
  });
  stops.push(() => server.stop(true));
  const { got, opened } = await connect(`http://127.0.0.1:${server.port}`);
  const end = endOf(opened);
  end.send("hello 网");
  end.send(new TextEncoder().encode("raw"));
  end.send("bye");
  await eventually(() => got.length === 3);

  expect(got).toEqual(["text hello 网", "bytes raw", "closed 4002 bye"]);
});

test("both ends of ours agree on a protocol, and a large message goes through piece by piece", async () => {
  const { ends, url } = startEcho(20_000_000);
  const sizes: number[] = [];
  const { opened } = await connect(url, { message: (bytes) => void sizes.push(bytes.length) });
  const end = endOf(opened);
  if (opened.kind === "open") expect(opened.protocol).toBe("realtime");
  for (const size of [0, 125, 126, 65_535, 65_536, 10_000_000]) end.send(new Uint8Array(size));
  await eventually(() => sizes.length === 6);
  end.close(1_000, "done");
  await eventually(() => ends.length === 1);

  expect(sizes).toEqual([0, 125, 126, 65_535, 65_536, 10_000_000]);
  expect(ends).toEqual(["1000 done"]);
});

test("a reader that pauses slows the other end down and loses nothing", async () => {
  const { url } = startEcho();
  let count = 0;
  const { opened } = await connect(url, { message: () => void (count += 1) });
  const end = endOf(opened);
  end.pause();
  for (let sent = 0; sent < 200; sent += 1) end.send("x".repeat(10_000));
  // A fixed time, because nothing is to arrive.
  await Bun.sleep(50);
  expect(count).toBe(0);
  end.resume();
  await eventually(() => count === 200);
});

test("a message over the limit ends the connection with 1009", async () => {
  const { ends, url } = startEcho(1_000);
  const { got, opened } = await connect(url);
  endOf(opened).send("x".repeat(1_001));
  await eventually(() => got.length === 1);

  expect([got, ends]).toEqual([["closed 1009"], ["1009"]]);
});

test("a request that asks for no WebSocket, or wrongly, is answered so", async () => {
  const { url } = startEcho();
  const headers = { connection: "Upgrade", upgrade: "websocket" };
  const key = { "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" };
  for (const [given, status] of [
    [{}, 426],
    [{ ...headers, ...key, "sec-websocket-version": "8" }, 426],
    [{ ...headers, "sec-websocket-version": "13" }, 400],
    [{ ...headers, "sec-websocket-version": "13", "sec-websocket-key": "short" }, 400],
  ] as const) {
    expect((await fetch(url, { headers: given })).status).toBe(status);
  }
});

test("an answer that is no upgrade is the answer, and a wrong one is a fault", async () => {
  const server = Bun.serve({ port: 0, fetch: () => new Response("no", { status: 401 }) });
  stops.push(() => server.stop(true));
  const { opened } = await connect(`http://127.0.0.1:${server.port}`);
  expect(opened).toMatchObject({ kind: "answer", status: 401 });
  const wrong = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        socket.write("HTTP/1.1 101 Go\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n");
      },
    },
  });
  stops.push(() => wrong.stop(true));
  expect((await connect(`http://127.0.0.1:${wrong.port}`)).opened).toMatchObject({
    code: "answer-not-http",
  });
});
