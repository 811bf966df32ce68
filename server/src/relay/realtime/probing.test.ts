import { expect, test } from "bun:test";
import { openTestRelay, testChannel, testKey } from "#relay/testing/relay.ts";

/** Longer than the first ejection lasts, in milliseconds. */
const ejectedMs = 31_000;

/** How many failures in a row eject a channel. */
const failuresInRow = 5;

test("while one session tries a channel that was ejected, no other one is sent there", async () => {
  let asked = 0;
  let hold: Promise<void> | undefined;
  const upstream = Bun.serve({
    port: 0,
    async fetch() {
      asked += 1;
      await hold;
      return new Response("no", { status: 500 });
    },
  });
  const other = Bun.serve({
    port: 0,
    fetch: (request, server) => (server.upgrade(request) ? undefined : new Response("no")),
    websocket: { message() {} },
  });
  const baseUrl = `http://127.0.0.1:${upstream.port}`;
  const spare = { id: 2, priority: -1, baseUrl: `http://127.0.0.1:${other.port}` };
  const relay = openTestRelay({ channels: [testChannel({ baseUrl }), testChannel(spare)] });
  const url = `${relay.url.replace("http", "ws")}/v1/realtime?model=m`;
  const connect = async (): Promise<void> =>
    await new Promise((resolve, reject) => {
      const socket = new WebSocket(url, { headers: { authorization: `Bearer ${testKey}` } });
      socket.addEventListener("open", () => socket.close());
      socket.addEventListener("close", ({ code }) => (code === 1006 ? reject(code) : resolve()));
    });

  for (let session = 0; session < failuresInRow; session += 1) await connect();
  expect(asked).toBe(failuresInRow);
  await connect();
  expect(asked).toBe(failuresInRow);

  relay.skipMs = ejectedMs;
  const held = Promise.withResolvers<void>();
  hold = held.promise;
  const probe = connect();
  while (asked === failuresInRow) await Bun.sleep(1);
  await connect();
  expect(asked).toBe(failuresInRow + 1);
  held.resolve();
  await probe;
  await relay.stop();
  await Promise.all([upstream.stop(true), other.stop(true)]);
});
