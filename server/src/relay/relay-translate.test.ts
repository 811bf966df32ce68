/** Calls whose client and upstream speak different formats, through the relay. */

import { afterEach, expect, test } from "bun:test";
import type { Json } from "#base/json.ts";
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

const weather = { type: "object", properties: { city: { type: "string" } } };

/** The same question in every format: a system prompt, a picture, a tool. */
const requests = {
  "/v1/chat/completions": {
    model: "m",
    max_tokens: 50,
    top_k: 3,
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Weather in Paris?" },
    ],
    tools: [{ type: "function", function: { name: "weather", parameters: weather } }],
  },
  "/v1/messages": {
    model: "m",
    max_tokens: 50,
    system: "Be brief.",
    messages: [{ role: "user", content: "Weather in Paris?" }],
    tools: [{ name: "weather", input_schema: weather }],
  },
  "/v1/responses": {
    model: "m",
    max_output_tokens: 50,
    instructions: "Be brief.",
    input: "Weather in Paris?",
    tools: [{ type: "function", name: "weather", parameters: weather }],
  },
  "/v1beta/models/m:generateContent": {
    systemInstruction: { parts: [{ text: "Be brief." }] },
    contents: [{ role: "user", parts: [{ text: "Weather in Paris?" }] }],
    generationConfig: { maxOutputTokens: 50 },
    tools: [{ functionDeclarations: [{ name: "weather", parametersJsonSchema: weather }] }],
  },
} as const;

type Path = keyof typeof requests;

/** A server of the chat format alone, as most compatible ones are. */
const chatOnly: Provider = {
  ...openai,
  formats: { "openai-chat": { paths: { chat: "/v1/chat/completions" }, asksForUsage: true } },
};

/** An answer with a call of the tool and 10 + 5 tokens, in each upstream's format. */
const answers = [
  [
    chatOnly,
    {
      id: "chatcmpl-1",
      object: "chat.completion",
      model: "m",
      choices: [
        {
          index: 0,
          finish_reason: "tool_calls",
          message: {
            role: "assistant",
            content: null,
            tool_calls: [
              {
                id: "call_1",
                type: "function",
                function: { name: "weather", arguments: '{"city":"Paris"}' },
              },
            ],
          },
        },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    },
  ],
  [
    anthropic,
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "tool_use", id: "call_1", name: "weather", input: { city: "Paris" } }],
      stop_reason: "tool_use",
      usage: { input_tokens: 10, output_tokens: 5 },
    },
  ],
  [
    gemini,
    {
      responseId: "r1",
      modelVersion: "m",
      candidates: [
        {
          index: 0,
          finishReason: "STOP",
          content: {
            role: "model",
            parts: [{ functionCall: { id: "call_1", name: "weather", args: { city: "Paris" } } }],
          },
        },
      ],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    },
  ],
] as const;

async function ask(path: Path, provider: Provider, answer: object, body: object = requests[path]) {
  const upstream = await startUpstream((socket) => socket.end(jsonAnswer(JSON.stringify(answer))));
  const relay = openTestRelay({ channels: [testChannel({ baseUrl: upstream.url, provider })] });
  stops.push(relay.stop, upstream.stop);
  const response = await fetch(`${relay.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { response, relay, sent: upstream.requests[0] ?? "" };
}

for (const path of Object.keys(requests) as Path[]) {
  for (const [provider, answer] of answers) {
    test(`a client of ${path} gets the tool call of a ${provider.id} upstream, and pays the same`, async () => {
      const { response, relay, sent } = await ask(path, provider, answer);
      const text = await response.text();

      expect([response.status, text.includes("Paris"), text.includes("weather")]).toEqual([
        200,
        true,
        true,
      ]);
      for (const word of ["Be brief.", "Weather in Paris?", "weather", "50"]) {
        expect(sent).toContain(word);
      }
      // 10 tokens of input at 2 units and 5 of output at 8.
      expect(relay.money.settled.map(({ charge }) => charge)).toEqual([60]);
    });
  }
}

test("what the upstream's format cannot carry is told to the client and stands in the log", async () => {
  const [, [provider, answer]] = answers;
  const body = { ...requests["/v1/chat/completions"], seed: 7 };
  const { response, relay } = await ask("/v1/chat/completions", provider, answer, body);

  expect(response.headers.get("x-tollgate-losses")).toBe("seed");
  expect(relay.money.settled.map(({ log }) => log.losses)).toEqual([["seed"]]);
});

test("what would make the answer wrong is refused in the client's format, and names the field", async () => {
  const [, [provider, answer]] = answers;
  const body = { ...requests["/v1/chat/completions"], n: 2 };
  const { response, relay } = await ask("/v1/chat/completions", provider, answer, body);
  const { error } = (await response.json()) as { readonly error: Readonly<Record<string, Json>> };

  expect([response.status, error["param"]]).toEqual([400, "n"]);
  expect(relay.money.settled).toEqual([]);
});

test("tool arguments of 200,000 levels are refused where they would have to be read", async () => {
  const [, [provider, answer]] = answers;
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const call = { id: "c", type: "function", function: { name: "weather", arguments: deep } };
  const item = { type: "function_call", call_id: "c", name: "weather", arguments: deep };
  const hello = { role: "user", content: "hi" };
  const bodies = [
    ["/v1/chat/completions", { messages: [hello, { role: "assistant", tool_calls: [call] }] }],
    ["/v1/responses", { input: [hello, item] }],
  ] as const;
  for (const [path, given] of bodies) {
    const body = { ...requests[path], ...given };
    const { response, relay } = await ask(path, provider, answer, body);
    const { error } = (await response.json()) as { readonly error: Readonly<Record<string, Json>> };

    expect([response.status, error["message"]]).toEqual([
      400,
      expect.stringContaining("the arguments of a tool call nest deeper than 64 levels"),
    ]);
    expect(relay.money.settled).toEqual([]);
  }
});

test("a count of tokens is answered without an upstream, in the client's format", async () => {
  const relay = openTestRelay({ channels: [testChannel({ baseUrl: "http://127.0.0.1:1" })] });
  stops.push(relay.stop);
  const count = async (path: string, body: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${testKey}` };
    const asked = { method: "POST", headers, body: JSON.stringify(body) };
    return await (await fetch(`${relay.url}${path}`, asked)).json();
  };
  const { "/v1/messages": message, "/v1beta/models/m:generateContent": contents } = requests;

  expect(await count("/v1/messages/count_tokens", message)).toEqual({
    input_tokens: expect.any(Number),
  });
  expect(await count("/v1beta/models/m:countTokens", contents)).toEqual({
    totalTokens: expect.any(Number),
  });
  expect(relay.money.settled).toEqual([]);
});

test("an upstream's error reaches a client of another format in that format's own form", async () => {
  const [[provider]] = answers;
  const error = { message: "too long", type: "invalid_request_error" };
  const upstream = await startUpstream((socket) =>
    socket.end(jsonAnswer(JSON.stringify({ error }), "400 Bad Request")),
  );
  const relay = openTestRelay({ channels: [testChannel({ baseUrl: upstream.url, provider })] });
  stops.push(relay.stop, upstream.stop);
  const response = await fetch(`${relay.url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": testKey },
    body: JSON.stringify(requests["/v1/messages"]),
  });
  const body = (await response.json()) as { readonly type: string; readonly error: object };

  expect([response.status, body.type]).toEqual([400, "error"]);
  expect(body.error).toMatchObject({ type: "invalid_request_error" });
});

const hello = { type: "text", text: "hello" } as const;
const signed = `TollgateOpaEncv10000${"gAAAAABq".repeat(8)}`;

/** The second turn of a conversation whose first was answered by OpenAI. */
const secondTurns = [
  [
    "/v1/messages",
    anthropic,
    {
      model: "m",
      max_tokens: 50,
      messages: [
        { role: "user", content: "Hi Tollgate" },
        { role: "assistant", content: [{ type: "redacted_thinking", data: signed }, hello] },
        { role: "user", content: "Again" },
      ],
    },
    { type: "message", role: "assistant", content: [hello], stop_reason: "end_turn" },
  ],
  [
    "/v1beta/models/m:generateContent",
    gemini,
    {
      contents: [
        { role: "user", parts: [{ text: "Hi Tollgate" }] },
        { role: "model", parts: [{ text: "", thought: true, thoughtSignature: signed }, hello] },
        { role: "user", parts: [{ text: "Again" }] },
      ],
    },
    { candidates: [{ content: { parts: [hello] }, finishReason: "STOP" }] },
  ],
] as const;

for (const [path, provider, body, answer] of secondTurns) {
  test(`T3: a conversation of ${path} that began at another provider goes on without what that one signed`, async () => {
    const upstream = await startUpstream((socket) =>
      socket.end(jsonAnswer(JSON.stringify(answer))),
    );
    const relay = openTestRelay({ channels: [testChannel({ provider, baseUrl: upstream.url })] });
    stops.push(relay.stop, upstream.stop);
    const ask = async (text: string) => {
      const headers = { authorization: `Bearer ${testKey}`, "content-type": "application/json" };
      return await fetch(`${relay.url}${path}`, { method: "POST", headers, body: text });
    };

    const response = await ask(JSON.stringify(body));
    expect([response.status, await response.text()]).toEqual([
      200,
      expect.stringContaining("hello"),
    ]);
    expect(response.headers.get("x-tollgate-losses")).toBe("reasoning of earlier turns");
    expect(upstream.requests.at(-1)).toContain("hello");
    expect(upstream.requests.at(-1)).not.toContain("gAAAAABq");

    // Without such a value the bytes pass through as they are.
    const plain = JSON.stringify(body).replaceAll(signed, "c2lnbmVk");
    expect((await ask(plain)).headers.get("x-tollgate-losses")).toBeNull();
    expect(upstream.requests.at(-1)).toContain(plain);
  });
}

/** A server of the Responses format alone. */
const responsesOnly: Provider = {
  ...openai,
  formats: { "openai-responses": { paths: { chat: "/v1/responses" }, asksForUsage: false } },
};

/** Words of each format for an answer that was cut off. */
const cutOff = {
  "/v1/chat/completions": '"finish_reason":"length"',
  "/v1/messages": '"stop_reason":"max_tokens"',
  "/v1beta/models/m:generateContent": '"finishReason":"MAX_TOKENS"',
} as const;

for (const path of Object.keys(cutOff) as (keyof typeof cutOff)[]) {
  test(`an answer that has only begun does not look like a complete one without text: ${path}`, async () => {
    for (const status of ["queued", "in_progress"]) {
      const answer = { id: "resp_1", object: "response", status, output: [], usage: null };
      const { response } = await ask(path, responsesOnly, answer);

      expect(await response.text()).toContain(cutOff[path]);
    }
  });

  test(`an answer that was cancelled before it began is an error, and free: ${path}`, async () => {
    const answer = { id: "resp_1", object: "response", status: "cancelled", output: [] };
    const { relay, response } = await ask(path, responsesOnly, answer);

    expect(response.status).toBe(502);
    expect(relay.money.settled).toEqual([]);
  });

  test(`what an unfinished answer has already is given as one that was cut off: ${path}`, async () => {
    const content = [{ type: "output_text", text: "Once upon", annotations: [] }];
    const output = [{ id: "msg_1", type: "message", role: "assistant", content }];
    const usage = { input_tokens: 10, output_tokens: 2, total_tokens: 12 };
    const answer = { id: "resp_1", object: "response", status: "in_progress", output, usage };
    const { response } = await ask(path, responsesOnly, answer);
    const text = await response.text();

    expect(text).toContain("Once upon");
    expect(text).toContain(cutOff[path]);
  });
}
