/** How much a client asks the model to think stands in the log row, whatever format it speaks. */

import { afterEach, expect, test } from "bun:test";
import { failedTexts } from "#canonical/call-texts.ts";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Makes a call that the upstream refuses, and returns the effort that consoles read of its row. */
async function effortOf(path: string, body: object): Promise<unknown> {
  const refused = jsonAnswer(JSON.stringify({ error: { message: "no" } }), "400 Bad Request");
  const upstream = await startUpstream((socket) => void socket.end(refused));
  const relay = openTestRelay({ channels: [testChannel({ baseUrl: upstream.url })] });
  stops.push(relay.stop, upstream.stop);
  const response = await fetch(`${relay.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await response.text();
  const [log] = relay.failures;
  if (log === undefined) throw new Error(`no row, status ${response.status}`);
  return JSON.parse(failedTexts(log).other).reasoning_effort;
}

const messages = [{ role: "user", content: "hi" }];
const chat = { model: "m", messages };

test("O-467: the effort of a call in each format is in its row", async () => {
  const gemini = "/v1beta/models/m:generateContent";
  const contents = [{ role: "user", parts: [{ text: "hi" }] }];
  for (const [path, body, effort] of [
    ["/v1/chat/completions", { ...chat, reasoning_effort: "high" }, "high"],
    ["/v1/responses", { model: "m", input: "hi", reasoning: { effort: "low" } }, "low"],
    ["/v1/messages", { ...chat, max_tokens: 9, output_config: { effort: "max" } }, "max"],
    [gemini, { contents, generationConfig: { thinkingConfig: { thinkingLevel: "HIGH" } } }, "HIGH"],
  ] as const) {
    expect([path, await effortOf(path, body)]).toEqual([path, effort]);
  }
});

test("O-467: a call without an effort, or with one that is no word, has none in its row", async () => {
  const path = "/v1/chat/completions";
  for (const effort of [undefined, null, 7, { a: "high" }, "x".repeat(21), "a\nb", "my secret"]) {
    expect(await effortOf(path, { ...chat, reasoning_effort: effort })).toBeUndefined();
  }
});
