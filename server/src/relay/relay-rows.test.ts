/** What a client can write into the log: nothing that is long, and nothing of its texts. */

import { afterEach, expect, test } from "bun:test";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A server of the chat format alone, so that other formats are translated. */
const chatOnly: Provider = {
  ...openai,
  formats: { "openai-chat": { paths: { chat: "/v1/chat/completions" }, asksForUsage: true } },
};

/** The most characters of a record of a call, whatever its client and upstream write. */
const recordMax = 8_000;

const secret = "the words of a prompt";
/** A name of a megabyte. */
const long = `${secret} ${"x".repeat(900_000)}`;

const whole = '{"choices":[{"index":0,"message":{"content":"x"},"finish_reason":"stop"}],';
const usage = '"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}';

test("names that a client invents make no row of a megabyte, and keep nothing of its text", async () => {
  const upstream = await startUpstream((socket) => void socket.write(jsonAnswer(whole + usage)));
  const relay = openTestRelay({
    channels: [testChannel({ baseUrl: upstream.url, provider: chatOnly })],
  });
  stops.push(relay.stop, upstream.stop);
  const message = { role: "user", content: "hi" };
  for (const [path, body] of [
    ["/v1/messages", { model: "m", max_tokens: 5, [long]: 1, messages: [message] }],
    ["/v1/responses", { model: "m", [long]: 1, store_it: secret, input: "hi" }],
    [
      "/v1beta/models/m:generateContent",
      { [long]: 1, contents: [{ role: "user", parts: [{ text: "hi" }] }] },
    ],
    [
      "/v1/messages",
      {
        model: "m",
        max_tokens: 5,
        messages: [{ role: "user", content: [{ type: "text", text: "hi" }, { type: long }] }],
      },
    ],
    [
      "/v1/messages",
      {
        model: "m",
        max_tokens: 5,
        output_config: { effort: secret },
        messages: [message],
        ...Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`${secret} ${at}`, 1])),
      },
    ],
  ] as const) {
    relay.money.settled.length = 0;
    const answer = await fetch(`${relay.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}` },
      body: JSON.stringify(body),
    });
    await answer.bytes();
    expect([path, answer.status]).toEqual([path, 200]);
    expect(answer.headers.get("x-tollgate-losses")).toMatch(/unknown fields: \d+/);
    const record = JSON.stringify(relay.money.settled[0]?.log);
    expect(record.length).toBeLessThan(recordMax);
    expect(record).not.toContain(secret);
  }
});

test("an upstream's error of any length makes no long row", async () => {
  const error = { message: long, type: long, code: long, param: long };
  const upstream = await startUpstream(
    (socket) => void socket.write(jsonAnswer(JSON.stringify({ error }), "400 Bad Request")),
  );
  const relay = openTestRelay({ channels: [testChannel({ baseUrl: upstream.url })] });
  stops.push(relay.stop, upstream.stop);
  const short = { message: "no", type: "t".repeat(20_000), code: "c".repeat(20_000) };
  for (const body of [error, short]) {
    Object.assign(error, body);
    const answer = await fetch(`${relay.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}` },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }),
    });
    await answer.bytes();
  }
  expect(relay.failures.length).toBe(2);
  for (const record of relay.failures) {
    expect(JSON.stringify(record).length).toBeLessThan(recordMax);
  }
});
