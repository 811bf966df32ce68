/** The id that an upstream gave a call is in the call's record, by which root asks its vendor. */

import { afterEach, expect, test } from "bun:test";
import { startUpstream } from "#network/testing/upstream.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const body = JSON.stringify({
  choices: [{ message: { content: "hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1 },
});

/** Makes a call, which channels answer with these heads in turn; an empty one answers nothing. */
async function recordsOf(heads: readonly string[]) {
  const length = `content-length: ${Buffer.byteLength(body)}`;
  const channels = await Promise.all(
    heads.map(async (head, at) => {
      const answer = `HTTP/1.1 ${head}\r\ncontent-type: application/json\r\n${length}\r\n\r\n`;
      const upstream = await startUpstream((socket) => {
        socket.end(head === "" ? "" : answer + body);
      });
      stops.push(upstream.stop);
      return testChannel({ id: at + 1, baseUrl: upstream.url, priority: -at });
    }),
  );
  const relay = openTestRelay({ channels });
  stops.push(relay.stop);
  const response = await fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }),
  });
  await response.text();
  return { charged: relay.money.settled, failed: relay.failures };
}

test("an answered call has the id of the attempt that answered", async () => {
  const { charged } = await recordsOf(["500 No\r\nx-request-id: one", "200 OK\r\nrequest-id: two"]);

  expect(charged.map(({ log }) => log.upstream_request_id)).toEqual(["two"]);
});

test("a failed call has the id of its last attempt, and none where that told none", async () => {
  for (const [heads, id] of [
    [["400 No\r\nx-request-id: one"], "one"],
    [["500 No\r\nx-request-id: one", "500 No"], ""],
    [["500 No\r\nx-request-id: one", ""], ""],
  ] as const) {
    const { failed } = await recordsOf(heads);
    expect(failed.map((log) => log.upstream_request_id)).toEqual([id]);
  }
});
