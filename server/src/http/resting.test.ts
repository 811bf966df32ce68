import { expect, test } from "bun:test";
import { openResting, restMaxMs, wokenMin } from "./resting.ts";
import type { Connection } from "./server-connection.ts";
import { keepAliveSecondsUsual, openServer } from "./server.ts";

/** Rests on a clock that the test moves. */
function openRests() {
  let nowMs = 0;
  let waits: { readonly untilMs: number; readonly work: () => void }[] = [];
  const woken: { readonly connection: Connection; readonly atMs: number }[] = [];
  const resting = openResting<Connection>({
    wake: (connection) => woken.push({ connection, atMs: nowMs }),
    afterReading: (work) => work(),
    nowMs: () => nowMs,
    wait: (ms, work) => waits.push({ untilMs: nowMs + ms, work }),
  });
  return {
    woken,
    add(count: number): void {
      // The connection is only passed on.
      for (let index = 0; index < count; index += 1) resting.add({ index } as never);
    },
    run(): void {
      for (let next = waits[0]; next !== undefined; next = waits[0]) {
        waits = waits.slice(1);
        nowMs = next.untilMs;
        next.work();
      }
    },
  };
}

test("P-L1: shed clients that ask again at once are refused again a few at a time", () => {
  const rests = openRests();
  rests.add(wokenMin * 10);
  rests.run();

  expect(rests.woken).toHaveLength(wokenMin * 10);
  const times = [...new Set(rests.woken.map(({ atMs }) => atMs))];
  expect(times).toHaveLength(10);
  for (const time of times) {
    expect(rests.woken.filter(({ atMs }) => atMs === time)).toHaveLength(wokenMin);
  }
});

test("no connection rests for longer than its client was asked to wait, however many rest", () => {
  const rests = openRests();
  rests.add(100_000);
  rests.run();

  expect(rests.woken).toHaveLength(100_000);
  expect(Math.max(...rests.woken.map(({ atMs }) => atMs))).toBe(restMaxMs);
});

test("what a client sends while its connection rests is answered afterwards, in its order", async () => {
  let shed = true;
  const served: string[] = [];
  const server = openServer({
    host: "127.0.0.1",
    port: 0,
    nowMs: () => performance.now(),
    keepAliveSeconds: keepAliveSecondsUsual,
    onBug(error) {
      throw error;
    },
    answer(request) {
      served.push(
        `${request.url} ${shed ? "shed" : "served"}${request.hasWaited() ? " late" : ""}`,
      );
      if (!shed) request.respond({ status: 200, body: request.url });
      else request.respond({ status: 503, body: "busy", rests: true });
      shed = false;
    },
  });
  let text = "";
  const answers = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: server.port,
    socket: {
      data(_, bytes) {
        text += bytes.toString();
        if (text.includes("/last")) answers.resolve();
      },
    },
  });
  const requests = ["/first", "/second", "/last"].map(
    (path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`,
  );
  socket.write(requests.join(""));
  // A connection that does not rest is answered meanwhile.
  const other = await fetch(`http://127.0.0.1:${server.port}/other`);
  expect(await other.text()).toBe("/other");
  await answers.promise;
  server.stop();

  expect(served.filter((each) => !each.startsWith("/other"))).toEqual([
    "/first shed",
    "/second served late",
    "/last served",
  ]);
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 503", "HTTP/1.1 200", "HTTP/1.1 200"]);
});

test("a request that was sent during the rest counts as late, however long the thread is busy", async () => {
  // The clock moves by a second whenever it is read.
  let nowMs = 0;
  const late: boolean[] = [];
  const server = openServer({
    host: "127.0.0.1",
    port: 0,
    nowMs: () => (nowMs += 1_000),
    keepAliveSeconds: 1_000_000,
    onBug(error) {
      throw error;
    },
    answer(request) {
      late.push(request.hasWaited());
      request.respond({ status: 503, body: "busy", ...(late.length === 1 && { rests: true }) });
    },
  });
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const request = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";
  await Bun.connect({
    hostname: "127.0.0.1",
    port: server.port,
    socket: {
      open: (socket) => void socket.write(request),
      data(socket) {
        if (late.length < 3) socket.write(request);
        else resolve();
      },
    },
  });
  await done;
  server.stop();

  expect(late).toEqual([false, true, false]);
});
