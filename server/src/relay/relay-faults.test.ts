/** What becomes of a call whose upstream answers with an error, by what the error means. */

import { afterEach, expect, test } from "bun:test";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const fine = JSON.stringify({
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "hi" } }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});

const prompt = "The name of the patient is Jane Doe of Springfield";

type Caller = { readonly role?: number; readonly key?: string };

/** Calls a channel that answers with the error, and after it one that answers well, if any. */
async function ask(
  status: string,
  error: object,
  hasOther: boolean,
  { role = 1, key = testKey }: Caller = {},
) {
  const bad = await startUpstream((socket) =>
    socket.end(jsonAnswer(JSON.stringify({ error }), status)),
  );
  const good = await startUpstream((socket) => socket.end(jsonAnswer(fine)));
  const channels = [
    testChannel({ id: 1, baseUrl: bad.url, priority: 1 }),
    ...(hasOther ? [testChannel({ id: 2, baseUrl: good.url })] : []),
  ];
  const relay = openTestRelay({ channels, user: { role } });
  stops.push(relay.stop, bad.stop, good.stop);
  const response = await fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: prompt }] }),
  });
  return { status: response.status, text: await response.text(), relay };
}

const poor = { type: "invalid_request_error", message: "Your credit balance is too low" };

test("an account without money is left for another channel, and only suspected for a message", async () => {
  const { relay, status } = await ask("400 Bad Request", poor, true);

  expect(status).toBe(200);
  expect(relay.disabled).toEqual([]);
  expect(relay.suspected.map(({ channelId }) => channelId)).toEqual([1]);
});

test("if no other channel is left, the client is told what the upstream said under a 400", async () => {
  const { status, text } = await ask("400 Bad Request", poor, false);

  expect(status).toBe(400);
  expect(text).toContain("credit balance is too low");
});

test("a code that names an empty account disables the channel", async () => {
  const { relay, status } = await ask(
    "429 Too Many Requests",
    { code: "insufficient_quota", message: "x" },
    true,
  );

  expect(status).toBe(200);
  expect(relay.disabled.map(({ channelId }) => channelId)).toEqual([1]);
});

test("content that a provider refuses is refused once, even under a 500", async () => {
  const { relay, status } = await ask(
    "500 Internal Server Error",
    { code: "content_filter", message: "no" },
    true,
  );

  expect(status).toBe(500);
  expect(relay.attempts).toHaveLength(1);
  expect(relay.money.settled).toEqual([]);
});

const refusedKey = {
  type: "invalid_request_error",
  code: "invalid_api_key",
  message: "Incorrect API key provided: sk-upstream-secret-1. Ask at https://provider.example.",
};

test("what the upstream says about the channel's key is hidden from users", async () => {
  const { status, text } = await ask("401 Unauthorized", refusedKey, false);

  expect(status).toBe(503);
  expect(text).not.toContain("Incorrect API key");
});

test("an administrator who calls a channel by its number reads why it refuses, but no key or address", async () => {
  const root = { role: 100, key: `${testKey}-1` };
  const { status, text, relay } = await ask("401 Unauthorized", refusedKey, true, root);

  expect(status).toBe(503);
  expect(text).toContain("Incorrect API key provided: ***. Ask at ***");
  expect(text).toContain("invalid_api_key");
  expect(text).not.toContain("upstream-secret");
  expect(relay.attempts).toHaveLength(1);
});

test("an administrator without the channel's number reads what users read", async () => {
  const { text } = await ask("401 Unauthorized", refusedKey, false, { role: 100 });

  expect(text).not.toContain("Incorrect API key");
});

for (const status of ["429 Too Many Requests", "500 Internal Server Error"]) {
  test(`an administrator who calls a channel by its number reads its ${status}`, async () => {
    const error = { type: "x", code: "daily", message: "1,000 calls a day are used up" };
    const root = { role: 100, key: `${testKey}-1` };
    const { text } = await ask(status, error, false, root);
    const { text: user } = await ask(status, error, false);

    expect(text).toContain("1,000 calls a day are used up");
    expect(user).not.toContain("1,000 calls");
  });
}

test("a model that the upstream does not know is no failure to be repeated", async () => {
  const error = { type: "invalid_request_error", code: "model_not_found", message: "no model x" };
  for (const status of ["400 Bad Request", "404 Not Found"]) {
    const told = await ask(status, error, false);
    expect([told.status, told.text.includes("no model x")]).toEqual([parseInt(status), true]);
    expect((await ask(status, error, true)).status).toBe(200);
  }
});

test("what an upstream quotes of a request goes to its client, not into the log", async () => {
  const message = `the content "${prompt}" is not allowed here`;
  const error = { type: "invalid_request_error", code: "refused", message };
  const { relay, text } = await ask("400 Bad Request", error, false);

  expect(text).toContain("Jane Doe");
  expect(relay.failures.map((failure) => failure.error.message)).toEqual([
    "the content […] is not allowed here",
  ]);
  expect(relay.noted.join()).toContain("is not allowed here");
  expect(relay.noted.join()).not.toContain("Jane Doe");
});
