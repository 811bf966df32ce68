/** Agents send tools, and results that belong to no call, in items of the input. */

import { afterEach, expect, test } from "bun:test";
import type { Json, JsonObject } from "#base/json.ts";
import { listOf, objectOf } from "#formats/shared/read-json.ts";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { anthropic } from "#providers/anthropic.ts";
import { gemini } from "#providers/gemini.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const chatOnly: Provider = {
  ...openai,
  formats: { "openai-chat": { paths: { chat: "/v1/chat/completions" }, asksForUsage: true } },
};

/** An answer that calls a tool, in the format of each upstream. */
const upstreams = [
  [
    chatOnly,
    (name: string, args: JsonObject) => {
      const called = { name, arguments: JSON.stringify(args) };
      const tool_calls = [{ id: "call_1", type: "function", function: called }];
      const message = { role: "assistant", content: null, tool_calls };
      return { id: "c", choices: [{ index: 0, message, finish_reason: "tool_calls" }] };
    },
  ],
  [
    anthropic,
    (name: string, input: JsonObject) => {
      const content = [{ type: "tool_use", id: "call_1", name, input }];
      return { id: "m", type: "message", role: "assistant", content, stop_reason: "tool_use" };
    },
  ],
  [
    gemini,
    (name: string, args: JsonObject) => {
      const content = { role: "model", parts: [{ functionCall: { name, args } }] };
      return { candidates: [{ index: 0, content, finishReason: "STOP" }] };
    },
  ],
] as const;

async function ask(provider: Provider, answer: object, body: object) {
  const upstream = await startUpstream((socket) => socket.end(jsonAnswer(JSON.stringify(answer))));
  const relay = openTestRelay({ channels: [testChannel({ baseUrl: upstream.url, provider })] });
  stops.push(relay.stop, upstream.stop);
  const response = await fetch(`${relay.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}` },
    body: JSON.stringify({ model: "m", max_output_tokens: 500, ...body }),
  });
  const [request = ""] = upstream.requests;
  const sent = request.slice(request.indexOf("\r\n\r\n") + 4);
  const losses = response.headers.get("x-tollgate-losses") ?? "";
  // Safe cast: the relay wrote it.
  const answered = (await response.json()) as { readonly output?: Json };
  const output = listOf(answered.output).map(objectOf);
  return { status: response.status, sent, losses, output };
}

const parameters = { type: "object", properties: { city: { type: "string" } } };
const lookup = { type: "function", name: "lookup", parameters };
const exec = { type: "custom", name: "exec", description: "runs a script" };
const spaced = { type: "namespace", name: "functions", tools: [exec, lookup] };
const inItem = (...tools: object[]) => ({ type: "additional_tools", role: "developer", tools });
const user = { type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] };
const search = (...tools: object[]) => ({ type: "tool_search_output", call_id: "s", tools });

/** Where requests have tools, and by which names clients know them. */
const shapes: readonly [string, JsonObject, boolean][] = [
  ["beside the input", { input: [user], tools: [exec, lookup] }, false],
  ["in a namespace", { input: [user], tools: [spaced] }, true],
  ["in an item", { input: [inItem(exec, lookup), user] }, false],
  ["in a namespace of an item", { input: [inItem(spaced), user], tools: [] }, true],
  ["in an item behind the user's", { input: [user, inItem(spaced)], tools: [] }, true],
  ["in two items", { input: [inItem(exec), inItem(lookup), user], tools: [] }, false],
  ["in both places", { input: [inItem(exec), user], tools: [lookup] }, false],
  ["found by a search", { input: [user, search(exec, lookup)], tools: [] }, false],
  [
    "as chat completions have them",
    { input: [inItem(exec, { type: "function", function: lookup }), user] },
    false,
  ],
] as unknown as readonly [string, JsonObject, boolean][];

for (const [where, body, isSpaced] of shapes) {
  for (const [provider, call] of upstreams) {
    test(`tools ${where} reach a ${provider.id} upstream, and their calls come back by their own names`, async () => {
      const prefix = isSpaced ? "functions__" : "";
      const named = isSpaced ? { namespace: "functions" } : {};
      const first = await ask(provider, call(`${prefix}lookup`, { city: "Paris" }), body);

      expect(first.status).toBe(200);
      for (const name of ["exec", "lookup"]) expect(first.sent).toContain(`"${prefix}${name}"`);
      expect(first.output).toMatchObject([
        { type: "function_call", name: "lookup", ...named, arguments: '{"city":"Paris"}' },
      ]);
      const second = await ask(provider, call(`${prefix}exec`, { input: "ls" }), body);
      expect(second.output).toMatchObject([
        { type: "custom_tool_call", name: "exec", ...named, input: "ls" },
      ]);
    });
  }
}

test("a tool that comes again stands for its last version, so that no upstream sees a name twice", async () => {
  const [[provider, call]] = upstreams;
  const newer = { ...lookup, description: "the newer one" };
  const input = [inItem(lookup), user, search(newer)];
  const { sent } = await ask(provider, call("lookup", {}), { input, tools: [lookup] });

  expect(sent.match(/"lookup"/g)).toHaveLength(1);
  expect(sent).toContain("the newer one");
});

test("a tool of a namespace can be chosen", async () => {
  const [[provider, call]] = upstreams;
  const tool_choice = { type: "function", name: "lookup", namespace: "functions" };
  const body = { input: [inItem(spaced), user], tool_choice };
  const { sent } = await ask(provider, call("functions__lookup", {}), body);

  expect(sent).toContain(
    '"tool_choice":{"type":"function","function":{"name":"functions__lookup"}}',
  );
});

const delegated = "<codex_delegation><input>say TEST_OK</input></codex_delegation>";
const results = [
  ["that is all of a conversation", [{ type: "function_call_output", output: delegated }]],
  [
    "that names no call, in front of a conversation",
    [{ type: "function_call_output", name: "create_thread", output: delegated }, user],
  ],
] as const;

for (const [what, input] of results) {
  for (const [provider, call] of upstreams) {
    test(`a result ${what} reaches a ${provider.id} upstream as what the user says`, async () => {
      const body = { instructions: "You are a bot", input };
      const { status, sent } = await ask(provider, call("lookup", {}), body);

      expect(status).toBe(200);
      expect(sent).toContain("say TEST_OK");
      expect(sent).toContain('"role":"user"');
      expect(sent).not.toMatch(/"role":"tool"|tool_result|functionResponse|tool_call_id/);
    });
  }
}

for (const [provider, call] of upstreams) {
  test(`a result that is all of a conversation reaches a ${provider.id} upstream behind a call`, async () => {
    const input = [{ type: "function_call_output", call_id: "call_9", output: delegated }];
    const { status, sent } = await ask(provider, call("lookup", {}), { input });

    expect(status).toBe(200);
    expect(sent).toContain("say TEST_OK");
    const [asked = "", answered = ""] =
      sent.split("say TEST_OK", 1)[0]?.split(/"role":"(?:assistant|model)"/) ?? [];
    expect(asked + answered).toMatch(/call_9|functionCall/);
    expect(sent).toMatch(/"role":"tool"|tool_result|functionResponse/);
  });
}
