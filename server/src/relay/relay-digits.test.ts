/** Numbers that JavaScript spells otherwise, in what the gateway only moves between formats. */

import { afterEach, expect, test } from "bun:test";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { anthropic } from "#providers/anthropic.ts";
import { gemini } from "#providers/gemini.ts";
import { ollama } from "#providers/ollama.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const args = '{"id":1234567890123456789,"at":7006652.0,"of":[1e2,-0,0.10]}';
const argsText = JSON.stringify(args);
const bounds = '"maximum":18446744073709551615,"default":2.0';
const schema = `{"type":"object","properties":{"id":{"type":"integer",${bounds}}}}`;

/** The same conversation in every format: a tool, its call and its result, a temperature of 1.0. */
const requests = {
  "/v1/chat/completions": `{"model":"m","temperature":1.0,"max_tokens":50.0,
    "messages":[{"role":"user","content":"Look."},
    {"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function",
    "function":{"name":"look","arguments":${argsText}}}]},
    {"role":"tool","tool_call_id":"a","content":${argsText}}],
    "tools":[{"type":"function","function":{"name":"look","parameters":${schema}}}]}`,
  "/v1/messages": `{"model":"m","temperature":1.0,"max_tokens":50,
    "messages":[{"role":"user","content":"Look."},
    {"role":"assistant","content":[{"type":"tool_use","id":"a","name":"look","input":${args}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":${argsText}}]}],
    "tools":[{"name":"look","input_schema":${schema}}]}`,
  "/v1/responses": `{"model":"m","temperature":1.0,"max_output_tokens":50,
    "input":[{"role":"user","content":"Look."},
    {"type":"function_call","call_id":"a","name":"look","arguments":${argsText}},
    {"type":"function_call_output","call_id":"a","output":${argsText}}],
    "tools":[{"type":"function","name":"look","parameters":${schema}}]}`,
  "/v1beta/models/m:generateContent": `{"generationConfig":{"temperature":1.0,"maxOutputTokens":50},
    "contents":[{"role":"user","parts":[{"text":"Look."}]},
    {"role":"model","parts":[{"functionCall":{"name":"look","args":${args}}}]},
    {"role":"user","parts":[{"functionResponse":{"name":"look","response":${args}}}]}],
    "tools":[{"functionDeclarations":[{"name":"look","parametersJsonSchema":${schema}}]}]}`,
} as const;

const paths = Object.keys(requests) as (keyof typeof requests)[];

/** A server of one format alone. */
const only = (provider: Provider, format: keyof Provider["formats"]): Provider => ({
  ...provider,
  formats: { [format]: provider.formats[format] },
});

const upstreams = {
  chat: only(openai, "openai-chat"),
  responses: only(openai, "openai-responses"),
  anthropic,
  gemini,
};

async function open(answer: string, channel: Partial<ChannelView>) {
  const upstream = await startUpstream((socket) => socket.write(answer));
  const relay = openTestRelay({ channels: [testChannel({ baseUrl: upstream.url, ...channel })] });
  stops.push(relay.stop, upstream.stop);
  const ask = async (path: keyof typeof requests, request: string = requests[path]) => {
    const headers = { authorization: `Bearer ${testKey}` };
    const response = await fetch(relay.url + path, { method: "POST", headers, body: request });
    return { status: response.status, text: await response.text() };
  };
  return { ask, sent: () => upstream.requests[0] ?? "" };
}

for (const path of paths) {
  for (const [name, provider] of Object.entries(upstreams)) {
    test(`${path} to ${name}: schemas, arguments and results keep every digit, settings stay numbers`, async () => {
      const { ask, sent } = await open(jsonAnswer("{}"), { provider });
      await ask(path);

      // The call and its result.
      expect(sent().replaceAll('\\"', '"').split(args)).toHaveLength(3);
      expect(sent()).toContain(bounds);
      expect(sent()).toMatch(/"temperature":1(\.0)?[,}]/);
    });
  }
}

test("older Gemini models get the values of a schema's list with every digit", async () => {
  const { ask, sent } = await open(jsonAnswer("{}"), {
    provider: gemini,
    modelMapping: new Map([["m", "gemini-2.0-flash"]]),
  });
  const listed = requests["/v1/messages"].replace(bounds, '"enum":[12345678901234567890,1.50]');
  await ask("/v1/messages", listed);

  expect(sent()).toContain('"enum":["12345678901234567890","1.50"]');
});

test("what a channel adds to a request leaves the digits of the rest", async () => {
  for (const change of [{ paramOverride: { top_p: 0.5 } }, { systemPrompt: "Be brief." }]) {
    const { ask, sent } = await open(jsonAnswer("{}"), { provider: anthropic, ...change });
    await ask("/v1/messages");

    expect(sent()).toContain(`"input":${args}`);
    expect(sent()).toContain('"temperature":1.0');
  }
});

const usage = '"usage":{"input_tokens":9,"output_tokens":5}';
const block = `{"type":"tool_use","id":"a","name":"look","input":${args}}`;
const candidate = `{"content":{"role":"model","parts":[{"functionCall":{"name":"look","args":${args}}}]},"finishReason":"STOP","index":0}`;
const counts =
  '"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":5,"totalTokenCount":14}';
const call = `{"function":{"name":"look","arguments":${args}}}`;

const answers = [
  [
    anthropic,
    `{"id":"m1","type":"message","role":"assistant","model":"m","content":[${block}],"stop_reason":"tool_use",${usage}}`,
  ],
  [gemini, `{"candidates":[${candidate}],${counts}}`],
  [
    only(ollama, "ollama"),
    `{"model":"m","message":{"role":"assistant","content":"","tool_calls":[${call}]},"done":true,"done_reason":"stop","prompt_eval_count":9,"eval_count":5}`,
  ],
] as const;

for (const [provider, answer] of answers) {
  test(`a call that ${provider.id} makes reaches every client with all digits of its arguments`, async () => {
    for (const path of paths) {
      const { ask } = await open(jsonAnswer(answer), { provider });
      const { status, text } = await ask(path);

      expect(status).toBe(200);
      expect(text.replaceAll('\\"', '"')).toContain(args);
    }
  });
}

test("a streamed call that Gemini makes reaches its client with all digits of its arguments", async () => {
  const body = `data: {"candidates":[${candidate}],${counts}}\n\n`;
  const head = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${body.length}\r\n\r\n`;
  for (const path of ["/v1/chat/completions", "/v1/messages", "/v1/responses"] as const) {
    const { ask } = await open(head + body, { provider: gemini });
    const { text } = await ask(path, requests[path].replace("{", '{"stream":true,'));

    expect(text.replaceAll('\\"', '"')).toContain(args);
  }
});
