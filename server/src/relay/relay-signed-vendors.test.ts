/** Calls of vendors that want a signature or a token in place of the key. */

import { afterEach, expect, test } from "bun:test";
import { startUpstream } from "#network/testing/upstream.ts";
import { baidu } from "#providers/baidu.ts";
import type { Provider } from "#providers/provider.ts";
import { tencent } from "#providers/tencent.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const respond = (body: string): string => {
  const type = body.startsWith("{") ? "application/json" : "text/event-stream";
  const length = Buffer.byteLength(body);
  return `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n${body}`;
};

const given = { access_token: "token/1", expires_in: 2_592_000 };

async function ask(provider: Provider, key: string, answer: string, body: object = {}) {
  const upstream = await startUpstream((socket, request) =>
    socket.end(respond(request.includes("/oauth/") ? JSON.stringify(given) : answer)),
  );
  const channel = testChannel({ baseUrl: upstream.url, provider, keys: [key] });
  const relay = openTestRelay({ channels: [channel] });
  stops.push(relay.stop, upstream.stop);
  const response = await fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "m",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
      ],
      ...body,
    }),
  });
  return {
    status: response.status,
    text: await response.text(),
    losses: response.headers.get("x-tollgate-losses"),
    requests: upstream.requests,
    sent: JSON.parse(upstream.requests.at(-1)?.split("\r\n\r\n")[1] || "{}"),
    charges: relay.money.settled.map(({ charge }) => charge),
  };
}

/** 10 tokens of input at 2 units and 5 of output at 8. */
const charge = 60;
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const wenxinStream = [
  { id: "as-1", result: "Hel", is_end: false },
  { id: "as-1", result: "lo", is_end: true, usage },
]
  .map((part) => `data: ${JSON.stringify(part)}\n\n`)
  .join("");

test("Baidu is called with a token for the key, whole and streamed, at the same price", async () => {
  const whole = JSON.stringify({ id: "as-1", result: "Hello", is_end: true, usage });
  for (const [answer, stream] of [[whole, false] as const, [wenxinStream, true] as const]) {
    const { charges, requests, sent, status, text } = await ask(baidu, "id|secret", answer, {
      stream,
    });

    expect([status, charges]).toEqual([200, [charge]]);
    expect(requests[0]).toContain("client_id=id&client_secret=secret");
    expect(requests[1]).toStartWith(
      "POST /rpc/2.0/ai_custom/v1/wenxinworkshop/chat/m?access_token=token%2F1 ",
    );
    expect(sent).toMatchObject({
      system: "Be brief.",
      messages: [{ role: "user", content: "Hi" }],
    });
    expect(text).toContain(stream ? '"content":"lo"' : '"content":"Hello"');
  }
});

test("Baidu gets no schema, and the client is told that it is lost", async () => {
  const answer = JSON.stringify({ id: "as-1", result: "{}", is_end: true, usage });
  const json_schema = { name: "s", schema: { type: "object" } };
  for (const [format, losses] of [
    [{ type: "json_schema", json_schema }, "response_format"],
    [{ type: "json_object" }, null],
  ] as const) {
    const got = await ask(baidu, "id|secret", answer, { response_format: format });
    expect([got.sent.response_format, got.losses]).toEqual(["json_object", losses]);
  }
});

test("an error that Baidu sends in a 200 is told as what it is, and costs nothing", async () => {
  for (const [error_code, error_msg, told] of [
    [18, "Open api qps request limit reached", 429],
    [336_003, "the length of messages must be an odd number", 400],
    [336_100, "server is overloaded", 502],
  ] as const) {
    const answer = JSON.stringify({ error_code, error_msg });
    const { charges, status } = await ask(baidu, "id|secret", answer);

    expect([error_code, status, charges]).toEqual([error_code, told, []]);
  }
});

const hunyuanUsage = { PromptTokens: 10, CompletionTokens: 5, TotalTokens: 15 };
const hunyuanWhole = JSON.stringify({
  Response: {
    Id: "r",
    Choices: [{ FinishReason: "stop", Message: { Role: "assistant", Content: "Hello" } }],
    Usage: hunyuanUsage,
  },
});
const called = {
  Id: "call_1",
  Type: "function",
  Index: 0,
  Function: { Name: "weather", Arguments: '{"city":"Paris"}' },
};

test("Tencent's names are those of chat completions, with a signature of the request", async () => {
  const message = { Role: "assistant", Content: "", ToolCalls: [called] };
  const choices = [{ FinishReason: "tool_calls", Message: message }];
  const answer = JSON.stringify({ Response: { Id: "r", Choices: choices, Usage: hunyuanUsage } });
  const parameters = { type: "object", properties: { cityName: { type: "string" } } };
  const tools = [{ type: "function", function: { name: "weather", parameters } }];
  const { charges, requests, sent, status, text } = await ask(tencent, "1|AKID|secret", answer, {
    tools,
  });

  expect([status, charges]).toEqual([200, [charge]]);
  expect(text).toContain('"arguments":"{\\"city\\":\\"Paris\\"}"');
  expect(requests[0]).toMatch(/^POST \/ HTTP/);
  expect(requests[0]).toMatch(/x-tc-action: ChatCompletions\r\n/);
  expect(requests[0]).toMatch(
    /TC3-HMAC-SHA256 Credential=AKID\/\d{4}-\d\d-\d\d\/hunyuan\/tc3_request, SignedHeaders=content-type;host;x-tc-action, Signature=[0-9a-f]{64}\r\n/,
  );
  expect(sent).toMatchObject({
    Model: "m",
    Messages: [
      { Role: "system", Content: "Be brief." },
      { Role: "user", Content: "Hi" },
    ],
    // A name inside the schema stays as it is.
    Tools: [
      { Type: "function", Function: { Name: "weather", Parameters: JSON.stringify(parameters) } },
    ],
  });
});

// Agents do so: https://github.com/FoundationAgents/OpenManus/issues/894.
test("what a user says after the result of a tool stands in that result for Tencent, and is named", async () => {
  const tool_calls = [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }];
  const { losses, sent } = await ask(tencent, "AKID|secret", hunyuanWhole, {
    messages: [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "", tool_calls },
      { role: "tool", tool_call_id: "c1", content: "rain" },
      { role: "user", content: "And now?" },
    ],
  });
  expect(sent.Messages.slice(2)).toEqual([
    { Role: "tool", ToolCallId: "c1", Content: "rain\n\nAnd now?" },
  ]);
  expect(losses).toBe("user texts after tool results");
});

test("a setting that Tencent or Baidu would refuse is left out and named, or raised to the least", async () => {
  for (const [seed, losses] of [
    [7, null],
    [0, "seed"],
    [123_456, "seed"],
  ] as const) {
    const got = await ask(tencent, "AKID|secret", hunyuanWhole, { seed });
    expect([got.sent.Seed, got.losses]).toEqual([losses === null ? seed : undefined, losses]);
  }
  const answer = JSON.stringify({ id: "as-1", result: "Hello", is_end: true, usage });
  const { sent, status } = await ask(baidu, "id|secret", answer, { max_tokens: 1 });
  expect([status, sent.max_output_tokens]).toEqual([200, 2]);
});

test("a limit that Tencent has no word for is named, and the call is held for what it may cost", async () => {
  const { charges, losses, sent, status } = await ask(tencent, "AKID|secret", hunyuanWhole, {
    max_tokens: 5,
  });
  expect([status, charges, losses, sent.MaxTokens]).toEqual([
    200,
    [charge],
    "max_tokens",
    undefined,
  ]);
});

test("Tencent gets one system prompt in front, and turns that alternate", async () => {
  const { sent } = await ask(tencent, "AKID|secret", "{}", {
    messages: [
      { role: "user", content: "Hi" },
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "image_url", image_url: { url: "https://a.example/b" } }] },
      { role: "assistant", content: "I look." },
      { role: "system", content: "Be kind." },
      { role: "user", content: "Why?" },
      { role: "user", content: "Tell." },
    ],
  });
  expect(sent.Messages).toEqual([
    { Role: "system", Content: "Be brief.\n\nBe kind." },
    {
      Role: "user",
      Contents: [
        { Type: "text", Text: "Hi" },
        { Type: "image_url", ImageUrl: { Url: "https://a.example/b" } },
      ],
    },
    { Role: "assistant", Content: "I look." },
    { Role: "user", Content: "Why?\n\nTell." },
  ]);
});

test("a stream of Tencent's is charged what it reports, and its error in a 200 is a failed call", async () => {
  const pieces = [
    { Id: "r", Choices: [{ Delta: { Role: "assistant", Content: "Hello" } }], Usage: hunyuanUsage },
    { Id: "r", Choices: [{ Delta: {}, FinishReason: "stop" }], Usage: hunyuanUsage },
  ];
  const stream = pieces.map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join("");
  const fine = await ask(tencent, "AKID|secret", stream, { stream: true });
  const error = { Response: { Error: { Code: "AuthFailure.SecretIdNotFound", Message: "no" } } };
  const failed = await ask(tencent, "AKID|secret", JSON.stringify(error));
  const limit = { Response: { Error: { Code: "RequestLimitExceeded", Message: "slow down" } } };
  for (const asStream of [false, true]) {
    const limited = await ask(tencent, "AKID|secret", JSON.stringify(limit), { stream: asStream });
    expect([asStream, limited.status, limited.charges]).toEqual([asStream, 429, []]);
  }

  expect([fine.status, fine.charges]).toEqual([200, [charge]]);
  expect(fine.text).toContain('"content":"Hello"');
  expect([failed.status, failed.charges]).toEqual([502, []]);
});
