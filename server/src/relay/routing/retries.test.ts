/** How often a call is tried elsewhere, and when it is not. */

import { afterEach, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { eventually } from "#base/testing/waiting.ts";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { openTestRelay, testChannel, testKey } from "#relay/testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const broken = jsonAnswer('{"error":{"message":"broken"}}', "500 Broken");

/** Opens a relay with channels of falling priority, which answer as the test says. */
async function open(answers: readonly ((socket: Socket) => void)[], retryTimes: number) {
  const upstreams = await Promise.all(answers.map(async (answer) => await startUpstream(answer)));
  const relay = openTestRelay({
    channels: upstreams.map(({ url }, at) =>
      testChannel({ id: at + 1, baseUrl: url, priority: -at }),
    ),
    options: { retryTimes },
  });
  stops.push(relay.stop, ...upstreams.map(({ stop }) => stop));
  const call = async (signal?: AbortSignal): Promise<Response> => {
    const response = await fetch(`${relay.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }),
      ...(signal === undefined ? {} : { signal }),
    });
    await response.text();
    return response;
  };
  const asked = () => upstreams.map(({ requests }) => requests.length);
  return { relay: relay.relay, counts: relay.counts, call, asked };
}

test("a call is tried at as many channels more as the option says", async () => {
  const fails = (socket: Socket) => void socket.write(broken);
  const { call, asked } = await open([fails, fails, fails, fails], 2);

  expect((await call()).status).toBe(500);
  expect(asked()).toEqual([1, 1, 1, 0]);
});

test("a call whose client has gone is not tried elsewhere, where it would be charged", async () => {
  const waiting: Socket[] = [];
  const { relay, counts, call, asked } = await open(
    [(socket) => void waiting.push(socket), (socket) => void socket.write(broken)],
    2,
  );
  const client = new AbortController();
  const gone = call(client.signal).catch(() => "gone");
  await eventually(() => waiting.length === 1);
  client.abort();
  expect(await gone).toBe("gone");
  await eventually(() => counts.disconnects === 1);
  waiting[0]?.write(broken);
  await eventually(() => relay.open() === 0);

  expect(asked()).toEqual([1, 0]);
});

test("a pause is neither kept nor told that an upstream asks for while it refuses the call itself", async () => {
  const refusal = jsonAnswer(
    '{"error":{"message":"no such field"}}',
    "400 Bad Request\r\nretry-after: 60",
  );
  const { call, asked } = await open(
    [(socket) => void socket.write(refusal), (socket) => void socket.write(broken)],
    2,
  );

  for (const answer of [await call(), await call()]) {
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([400, null]);
  }
  expect(asked()).toEqual([2, 0]);
});
