/** Tests of what the log keeps of calls that are refused before an upstream is tried. */

import { afterEach, expect, test } from "bun:test";
import { refusedRowsMax } from "./settle/refused-calls.ts";
import { openTestRelay, testChannel, testKey, type TestRelayOptions } from "./testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function open(given: Omit<TestRelayOptions, "channels">) {
  const relay = openTestRelay({
    ...given,
    channels: [testChannel({ baseUrl: "http://127.0.0.1:9" })],
  });
  stops.push(relay.stop);
  const post = async (body: string) =>
    await fetch(`${relay.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
      body,
    });
  return { relay, post };
}

const chat = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });

test("a call refused for want of money stands in the log, under the request id of its answer", async () => {
  const { relay, post } = open({ balance: 10 });
  const answer = await post(chat);
  expect(answer.status).toBe(403);
  expect(relay.failures).toMatchObject([
    {
      requestId: answer.headers.get("x-request-id"),
      username: "ada",
      status: 403,
      tried: [],
      error: { code: "insufficient_user_quota" },
    },
  ]);
  // What is wrong with the request itself is the client's to read in its answer.
  expect((await post("{")).status).toBe(400);
  expect(relay.failures).toHaveLength(1);
});

test("however often a user is refused in a minute, the log gets so many rows and no more", async () => {
  const { relay, post } = open({ balance: 10 });
  for (let count = 0; count < refusedRowsMax + 5; count += 1) await post(chat);
  // The minute may end in between.
  const minutes = new Set(relay.failures.map(({ createdAt }) => Math.floor(createdAt / 60)));
  expect(relay.failures.length).toBeLessThanOrEqual(refusedRowsMax * minutes.size);
  expect(relay.failures.length).toBeGreaterThanOrEqual(refusedRowsMax);
});
