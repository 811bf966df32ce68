/** Questions for the number of a prompt's tokens: who counts, and what is said of it. */

import { afterEach, expect, test } from "bun:test";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { anthropic } from "#providers/anthropic.ts";
import { gemini } from "#providers/gemini.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import {
  openTestRelay,
  testChannel,
  testKey,
  testUser,
  type TestRelayOptions,
} from "./testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const user = { role: "user", content: "hi" };

const questions = {
  messages: ["/v1/messages/count_tokens", { model: "m", messages: [user] }],
  gemini: ["/v1beta/models/m:countTokens", { contents: [{ parts: [{ text: "hi" }] }] }],
  responses: ["/v1/responses/input_tokens", { model: "m", input: "hi" }],
} as const;

async function open(
  provider: Provider,
  answer: string,
  given: Omit<TestRelayOptions, "channels"> & { readonly channel?: object } = {},
) {
  const upstream = await startUpstream((socket) => socket.end(answer));
  const channel = testChannel({ baseUrl: upstream.url, provider, ...given.channel });
  const relay = openTestRelay({ ...given, channels: [channel] });
  stops.push(relay.stop, upstream.stop);
  const ask = async (question: keyof typeof questions, change: object = {}) => {
    const [path, body] = questions[question];
    const response = await fetch(`${relay.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "anthropic-version": "2023-06-01" },
      body: JSON.stringify({ ...body, ...change }),
    });
    const count = response.headers.get("x-tollgate-count");
    return { status: response.status, count, body: (await response.json()) as object };
  };
  return { ask, relay, requests: upstream.requests };
}

test("a channel that counts in the client's format is asked, as a call would be", async () => {
  for (const [question, provider, path, answer] of [
    ["messages", anthropic, "/v1/messages/count_tokens", { input_tokens: 4_321 }],
    ["gemini", gemini, "/v1beta/models/real:countTokens", { totalTokens: 4_321, x: [1] }],
    [
      "responses",
      openai,
      "/v1/responses/input_tokens",
      { object: "response.input_tokens", input_tokens: 4_321 },
    ],
  ] as const) {
    const { ask, relay, requests } = await open(provider, jsonAnswer(JSON.stringify(answer)), {
      channel: { modelMapping: new Map([["m", "real"]]), paramOverride: { max_tokens: 5 } },
    });
    expect(await ask(question)).toEqual({ status: 200, count: "upstream", body: answer });
    expect(requests[0]).toStartWith(`POST ${path} `);
    expect(requests[0]).toContain("sk-upstream-secret-1");
    expect(requests[0]).not.toContain("max_tokens");
    if (question !== "gemini") expect(requests[0]).toContain('"model":"real"');
    expect([relay.money.settled, relay.money.held, relay.failures]).toEqual([[], 0, []]);
  }
});

test("where nobody counts, the number is estimated, and the answer says so", async () => {
  const said = jsonAnswer('{"input_tokens":4321}');
  for (const [provider, answer, change, given] of [
    // It has another format.
    [gemini, said, {}, {}],
    [anthropic, jsonAnswer('{"error":{"message":"no"}}', "404 Not Found"), {}, {}],
    [anthropic, jsonAnswer('{"input_tokens":-1}'), {}, {}],
    [anthropic, jsonAnswer("<html>"), {}, {}],
    [anthropic, "", {}, {}],
    // No call of these would reach the channel.
    [anthropic, said, { model: "nobody-has-it" }, {}],
    [anthropic, said, {}, { token: { modelLimits: new Set(["other"]) } }],
    [anthropic, said, { container: "container_of_another" }, {}],
    [anthropic, said, {}, { options: { findWord: () => true } }],
  ] as const) {
    const { ask, relay, requests } = await open(provider, answer, given);
    const told = await ask("messages", change);
    expect(told).toEqual({
      status: 200,
      count: "estimated",
      body: { input_tokens: expect.any(Number) },
    });
    if (answer === said) expect(requests).toEqual([]);
    expect([relay.money.settled, relay.failures]).toEqual([[], []]);
  }
});

test("one user's questions do not keep an upstream busy", async () => {
  const { ask, requests } = await open(anthropic, jsonAnswer('{"input_tokens":7}'));
  const told: (string | null)[] = [];
  for (let at = 0; at < 62; at += 1) told.push((await ask("messages")).count);
  expect(testUser.id).toBe(7);
  expect(told.filter((count) => count === "upstream")).toHaveLength(60);
  expect(told.slice(60)).toEqual(["estimated", "estimated"]);
  expect(requests).toHaveLength(60);
});
