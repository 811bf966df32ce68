/**
 * What the HTTP server relies on in `Bun.listen`, one test each. None of it is promised by Bun's
 * documentation in these words, so a new version of Bun that changes it must fail here, by name.
 */

import { afterEach, expect, test } from "bun:test";
import { connect, type Socket as ClientSocket } from "node:net";
import type { Socket, TCPSocketListener } from "bun";
import { eventually, staysTrue } from "#base/testing/waiting.ts";

/** The server's side of one connection, with all that happened on it. */
type Side = {
  readonly socket: Socket<Side>;
  /** Names of the events but `drain`, in their order; several `data` in a row count once. */
  readonly events: string[];
  /** How often `drain` came. */
  drains: number;
  readonly received: Buffer[];
  readonly errors: unknown[];
};

type Served = {
  readonly port: number;
  readonly sides: Side[];
  /** Connects, and resolves once the server has the connection. */
  dial(): Promise<{ client: ClientSocket; side: Side }>;
};

let listener: TCPSocketListener<Side> | undefined;
const clients: ClientSocket[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  listener?.stop(true);
});

function serve(on: { open?(side: Side): void; data?(side: Side): void } = {}): Served {
  const sides: Side[] = [];
  const note = ({ events }: Side, event: string): void => {
    if (event !== "data" || events.at(-1) !== "data") events.push(event);
  };
  listener = Bun.listen<Side>({
    hostname: "127.0.0.1",
    port: 0,
    allowHalfOpen: true,
    socket: {
      open(socket) {
        socket.data = { socket, events: [], drains: 0, received: [], errors: [] };
        sides.push(socket.data);
        on.open?.(socket.data);
      },
      data({ data: side }, bytes) {
        note(side, "data");
        side.received.push(bytes);
        on.data?.(side);
      },
      drain: ({ data: side }) => void (side.drains += 1),
      end: ({ data: side }) => note(side, "end"),
      close: ({ data: side }) => note(side, "close"),
      error({ data: side }, error) {
        note(side, "error");
        side.errors.push(error);
      },
      binaryType: "buffer",
    },
  });
  const { port } = listener;
  return {
    port,
    sides,
    async dial() {
      const count = sides.length;
      const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      client.on("error", () => {});
      clients.push(client);
      await eventually(() => sides.length > count);
      const side = sides[count];
      if (side === undefined) throw new Error("no connection");
      return { client, side };
    },
  };
}

const text = ({ received }: Side): string => Buffer.concat(received).toString("latin1");

/** How many bytes are more than the kernel takes for a client that does not read. */
const manyBytes = 32 * 1024 * 1024;

test("pause: no data event comes until resume, which delivers all bytes in order", async () => {
  const { client, side } = await serve().dial();
  client.write("one");
  await eventually(() => text(side) === "one");
  side.socket.pause();
  client.write("two");
  client.write("three");
  await staysTrue(() => text(side) === "one", 200);
  side.socket.resume();
  await eventually(() => text(side) === "onetwothree");
});

test("pause: bytes of a paused connection wait in the kernel, so the sender has to wait", async () => {
  const { client, side } = await serve().dial();
  side.socket.pause();
  let isTaken = false;
  client.write(Buffer.alloc(manyBytes), () => (isTaken = true));
  await staysTrue(() => !isTaken && side.received.length === 0, 300);
  side.socket.resume();
  await eventually(() => isTaken);
});

test("pause: what is written still goes out", async () => {
  const { client, side } = await serve().dial();
  let got = "";
  client.on("data", (bytes) => (got += bytes.toString()));
  side.socket.pause();
  side.socket.write("answer");
  await eventually(() => got === "answer");
});

test("pause: the end of the client's side is told after resume, behind its bytes", async () => {
  const { client, side } = await serve().dial();
  side.socket.pause();
  client.end("last");
  await staysTrue(() => side.received.length === 0, 200);
  side.socket.resume();
  await eventually(() => side.events.includes("end"));
  expect([text(side), side.events]).toEqual(["last", ["data", "end"]]);
});

test("half-close: `end` comes without `close`, and the client still gets what is written", async () => {
  const { client, side } = await serve().dial();
  let got = "";
  client.on("data", (bytes) => (got += bytes.toString()));
  client.end("question");
  await eventually(() => side.events.includes("end"));
  await staysTrue(() => !side.events.includes("close"), 200);
  expect(side.socket.write("answer")).toBe(6);
  await eventually(() => got === "answer");
  side.socket.end();
  await eventually(() => side.events.includes("close"));
  expect(side.events).toEqual(["data", "end", "close"]);
});

test("shutdown: the client gets the end behind all bytes, and its bytes still arrive", async () => {
  const { client, side } = await serve().dial();
  let got = "";
  let isEnded = false;
  client.on("data", (bytes) => (got += bytes.toString()));
  client.on("end", () => (isEnded = true));
  side.socket.write("bye");
  side.socket.shutdown();
  await eventually(() => isEnded);
  expect(got).toBe("bye");
  client.write("late");
  await eventually(() => text(side) === "late");
  expect(side.events).not.toContain("close");
});

const sendAndReset = `
  const socket = require("node:net").connect(Number(process.env.PORT), "127.0.0.1", () =>
    socket.write("x", () => socket.resetAndDestroy()),
  );`;

test("reset before accept: the connection is opened all the same, without an address", async () => {
  const addresses: unknown[] = [];
  const { port, sides } = serve({ open: ({ socket }) => addresses.push(socket.remoteAddress) });
  // This process does not run meanwhile, so the connection is reset before it is accepted.
  Bun.spawnSync([process.execPath, "-e", sendAndReset], {
    env: { ...process.env, PORT: String(port) },
  });
  await eventually(() => sides[0]?.events.includes("close") === true);
  expect(addresses).toEqual([undefined]);
});

test("reset: `close` comes once, and neither `end` nor an error of a bug", async () => {
  const { client, side } = await serve().dial();
  expect(side.socket.remoteAddress).toBe("127.0.0.1");
  client.resetAndDestroy();
  await eventually(() => side.events.includes("close"));
  expect(side.events.filter((event) => event === "close")).toEqual(["close"]);
  expect(side.events).not.toContain("end");
  for (const error of side.errors) expect(error).toHaveProperty("code");
});

test("write: returns how many bytes the kernel took; the rest is not kept, and `drain` follows", async () => {
  const { client, side } = await serve().dial();
  client.pause();
  const bytes = Buffer.alloc(manyBytes);
  for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(at, at);
  const sent = side.socket.write(bytes);
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThan(bytes.length);
  expect(side.socket.write(bytes, sent, 1)).toBe(0);
  expect(side.drains).toBe(0);
  let got = 0;
  let isInOrder = true;
  client.on("data", (part: Buffer) => {
    isInOrder &&= part.equals(bytes.subarray(got, got + part.length));
    got += part.length;
  });
  client.resume();
  await eventually(() => got === sent && side.drains > 0);
  await staysTrue(() => got === sent, 100);
  expect(isInOrder).toBe(true);
});

test("write: has taken the bytes when it returns, so their memory can be used again", async () => {
  const { client, side } = await serve().dial();
  let got = "";
  client.on("data", (bytes) => (got += bytes.toString()));
  const memory = Buffer.from("xxfirstxx");
  expect(side.socket.write(memory, 2, 5)).toBe(5);
  memory.fill("-");
  memory.write("second");
  expect(side.socket.write(memory, 0, 6)).toBe(6);
  await eventually(() => got.length >= 11);
  expect(got).toBe("firstsecond");
});

test("write: takes nothing on a connection that is closed", async () => {
  const { side } = await serve().dial();
  side.socket.terminate();
  expect(Math.max(0, side.socket.write("x"))).toBe(0);
});

test("terminate: the client's connection is reset, and `close` comes once", async () => {
  const { client, side } = await serve().dial();
  let code: unknown;
  client.on("error", (error) => (code = Reflect.get(error, "code")));
  side.socket.write("unread");
  side.socket.terminate();
  await eventually(() => client.destroyed && side.events.includes("close"));
  await staysTrue(() => side.events.length === 1, 50);
  expect(code).toBe("ECONNRESET");
});

test("data: each event has memory of its own, which later events leave alone", async () => {
  const { client, side } = await serve().dial();
  for (const word of ["aaaa", "bbbb", "cccc"]) {
    const before = side.received.length;
    client.write(word);
    await eventually(() => side.received.length > before);
  }
  expect(side.received.map((bytes) => bytes.toString())).toEqual(["aaaa", "bbbb", "cccc"]);
  expect(new Set(side.received.map((bytes) => bytes.buffer)).size).toBe(3);
  expect(side.received.every((bytes) => Buffer.isBuffer(bytes))).toBe(true);
});

test("an error that a handler throws goes to `error`, has no code, and ends no other connection", async () => {
  const served = serve({
    data(side) {
      if (text(side) === "break") throw new TypeError("a bug");
    },
  });
  const { client, side } = await served.dial();
  const other = await served.dial();
  client.write("break");
  await eventually(() => side.errors.length > 0);
  expect(side.errors).toEqual([new TypeError("a bug")]);
  expect(side.errors[0]).not.toHaveProperty("code");
  other.client.write("fine");
  await eventually(() => text(other.side) === "fine");
});

test("a socket tells its descriptor on Linux, by which options are set", async () => {
  const { side } = await serve().dial();
  if (process.platform === "linux") expect(Reflect.get(side.socket, "fd")).toBeNumber();
});

test("stop(true) closes every connection and accepts no more", async () => {
  const served = serve();
  const { client, side } = await served.dial();
  let isEnded = false;
  for (const event of ["end", "close"]) client.on(event, () => (isEnded = true));
  client.resume();
  listener?.stop(true);
  await eventually(() => side.events.includes("close") && isEnded);
  const late = connect(served.port, "127.0.0.1");
  clients.push(late);
  let code: unknown;
  late.on("error", (error) => (code = Reflect.get(error, "code")));
  await eventually(() => code !== undefined);
  expect(code).toBe("ECONNREFUSED");
});
