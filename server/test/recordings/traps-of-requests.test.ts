/**
 * Mistakes that gateways make with requests, each with a test that is named after it. The numbers
 * are those of the list in traps-of-answers: T2 and T3 are in signatures too, T4 in relay-issued, T12 in relay-betas,
 * T20 in relay-usage-refused, T21 in upstream-requests, T25 in relay-cache-prices and
 * relay-long-context, T29 in decode.
 */

import { expect, test } from "bun:test";
import type { Json, JsonObject } from "#base/json.ts";
import { foldAnswer } from "#canonical/answer.ts";
import { ali } from "#providers/ali.ts";
import { bedrock } from "#providers/bedrock.ts";
import { deepseek } from "#providers/deepseek.ts";
import { mistral } from "#providers/mistral.ts";
import type { Provider } from "#providers/provider.ts";
import { writeFitted } from "#formats/shared/fit/fit-request.ts";
import { openToolRestorer } from "#formats/shared/restore-tools.ts";
import type { Quirks } from "#formats/translation.ts";
import { type TranslatedFormatId, translations } from "#formats/translation-registry.ts";
import { asked, streamedAnswer } from "./next-turn.ts";
import type { TranslatedClientId } from "./played.ts";

type Sent = { readonly body: JsonObject; readonly losses: readonly string[] };

function parse(client: TranslatedClientId, body: JsonObject) {
  const path = { modality: "chat", model: "m", stream: body["stream"] === true } as const;
  const parsed = translations[client].client.parseRequest(body, path);
  if ("message" in parsed) throw new Error(parsed.message);
  return parsed;
}

/** What an upstream gets of a client's request. */
function send(
  client: TranslatedClientId,
  body: JsonObject,
  upstream: TranslatedFormatId,
  { model = "m", quirks = {} }: { readonly model?: string; readonly quirks?: Quirks } = {},
): Sent {
  const { request } = parse(client, body);
  const fitting = {
    upstream: translations[upstream].upstream,
    quirks,
    hashOf: (text: string) => text,
  };
  const written = writeFitted({ ...request, model }, fitting);
  if ("message" in written) throw new Error(written.message);
  return written;
}

/** How a provider deviates from OpenAI's chat format. */
function quirksOf({ formats }: Provider): Quirks {
  return formats["openai-chat"]?.quirks ?? {};
}

const user = { role: "user", content: "hi" };
const called = (...ids: readonly string[]) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({
    id,
    type: "function",
    function: { name: "look", arguments: "{}" },
  })),
});
const result = (id: string, content: string) => ({ role: "tool", tool_call_id: id, content });
const chat = (...messages: readonly Json[]) => ({ model: "m", max_tokens: 9_000, messages });

test("T2: a call of another model, which has no signature, goes to Gemini with the word that Google documents", () => {
  const { body } = send(
    "openai-chat",
    chat(user, called("a"), result("a", "1")),
    "gemini-generate",
    {
      model: "gemini-3-pro",
    },
  );

  expect(JSON.stringify(body)).toContain('"thoughtSignature":"skip_thought_signature_validator"');
});

test("T3: reasoning that another provider signed becomes nothing at the next one, and is named", () => {
  const thinking = { type: "thinking", thinking: "hm", signature: "TollgateOpaEncv10000gAAAAA==" };
  const messages = [user, { role: "assistant", content: [thinking] }, user];
  const { body, losses } = send(
    "anthropic-messages",
    { model: "m", max_tokens: 9, messages },
    "anthropic-messages",
  );

  expect(JSON.stringify(body)).not.toContain("gAAAAA");
  expect(losses).toEqual(["reasoning of earlier turns"]);
});

test("T4: what stands at one provider only is refused by name, not looked for at another", () => {
  for (const field of ["previous_response_id", "conversation"]) {
    const body = { model: "m", input: "hi", [field]: "resp_1" };
    const path = { modality: "chat", model: "m", stream: false } as const;
    const parsed = translations["openai-responses"].client.parseRequest(body, path);
    expect(parsed).toMatchObject({ param: field });
  }
});

test("T12: Bedrock gets neither the beta words of Claude Code nor the fields that need them", () => {
  const { body } = send(
    "anthropic-messages",
    {
      model: "m",
      max_tokens: 32_000,
      messages: [user],
      thinking: { type: "enabled", budget_tokens: 31_999, display: "updates" },
      output_config: { effort: "high" },
      context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
      tools: [
        {
          name: "x",
          input_schema: { type: "object" },
          defer_loading: true,
          eager_input_streaming: true,
        },
      ],
    },
    "bedrock-invoke",
    { model: "anthropic.claude-sonnet-4-5-20250929-v1:0" },
  );

  expect(Object.keys(bedrock.formats)).not.toContain("anthropic-messages");
  expect(JSON.stringify(body)).not.toMatch(
    /context_management|output_config|display|defer_loading|eager_input|anthropic_beta/,
  );
});

test("T13: results stand behind their calls, missing ones are made up, and those without a call are dropped", () => {
  const messages = [
    user,
    result("gone", "orphan"),
    called("a", "b"),
    { role: "user", content: "wait" },
    result("b", "two"),
    called("c"),
    { role: "user", content: "so?" },
    result("a", "one"),
  ];
  const { body, losses } = send("openai-chat", chat(...messages), "anthropic-messages", {
    model: "claude-sonnet-4-5",
  });
  const text = JSON.stringify(body["messages"]);

  const ids = [...text.matchAll(/"(?:tool_use_id|id)":"(\w+)"/g)].map(([, id]) => id);
  expect(ids).toEqual(["a", "b", "a", "b", "c", "c"]);
  expect(text).toContain("(no result)");
  expect(text).not.toContain("orphan");
  expect(losses).toContain("tool results without a call");
});

for (const upstream of ["anthropic-messages", "openai-chat", "openai-responses"] as const) {
  test(`T13: results that are all of a conversation go to ${upstream} behind a call that is made up`, () => {
    const system = { role: "system", content: "Be brief." };
    const sent = send("openai-chat", chat(system, result("gone", "22 degrees")), upstream);

    const ids = JSON.stringify(sent.body).match(/"(id|call_id|tool_call_id|tool_use_id)":"gone"/g);
    expect(ids).toHaveLength(2);
    expect(JSON.stringify(sent.body)).toContain("22 degrees");
    expect(sent.losses).not.toContain("tool results without a call");
  });
}

for (const upstream of ["anthropic-messages", "bedrock-converse", "gemini-generate"] as const) {
  test(`a number of more digits than a double holds reaches ${upstream} with all of them`, () => {
    const args =
      '{"id":1234567890123456789,"of":[98765432109876543210],"n":1,"t":"1234567890123456"}';
    const call = { id: "a", type: "function", function: { name: "look", arguments: args } };
    const turn = { role: "assistant", content: null, tool_calls: [call] };
    const { body } = send("openai-chat", chat(user, turn, result("a", "1")), upstream);

    expect(JSON.stringify(body)).toContain(args);
  });
}

test("T14: Mistral gets ids of nine letters and digits, the same for call and result, and none twice", () => {
  const { body } = send(
    "openai-chat",
    chat(user, called("call_1"), result("call_1", "1"), called("call_1"), result("call_1", "2")),
    "openai-chat",
    { quirks: quirksOf(mistral) },
  );
  const text = JSON.stringify(body);
  const calls = [...text.matchAll(/"id":"([A-Za-z0-9]{9})"/g)].map(([, id]) => id);
  const results = [...text.matchAll(/"tool_call_id":"([A-Za-z0-9]{9})"/g)].map(([, id]) => id);

  expect(new Set(calls).size).toBe(2);
  expect(results).toEqual(calls);
});

test("T14: a result that Gemini's client names otherwise than its call belongs to the oldest open call", () => {
  const contents = [
    { role: "model", parts: [{ functionCall: { name: "look", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { name: "f", response: { result: "seen" } } }] },
  ];

  expect(JSON.stringify(send("gemini-generate", { contents }, "ollama").body)).toContain(
    '{"role":"tool","content":"seen","tool_name":"look"}',
  );
});

test("T15: schemas reach older Gemini models without the words that these refuse, also endless ones", () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    additionalProperties: false,
    properties: {
      n: { type: ["integer", "null"], exclusiveMinimum: 0, multipleOf: 2 },
      kind: { const: "a" },
      list: { type: "array", uniqueItems: true, items: { $ref: "#/$defs/node" } },
    },
    $defs: { node: { type: "object", properties: { child: { $ref: "#/$defs/node" } } } },
  };
  const tools = [{ type: "function", function: { name: "x", parameters: schema } }];
  const { body } = send("openai-chat", { ...chat(user), tools }, "gemini-generate", {
    model: "gemini-2.0-flash",
  });

  const [tool] = (body["tools"] ?? []) as readonly JsonObject[];
  expect(JSON.stringify(tool)).not.toMatch(
    /\$schema|\$ref|\$defs|additionalProperties|exclusiveMinimum|multipleOf|uniqueItems|"const"/,
  );
  expect(JSON.stringify(tool)).toContain('"list":{"type":"ARRAY"');
});

test("T16: DeepSeek gets its reasoning back in every turn with calls, by the field that it reads", () => {
  const thought = { type: "thinking", thinking: "look it up", signature: "" };
  const use = (id: string) => ({ type: "tool_use", id, name: "look", input: {} });
  const answer = (id: string) => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: id, content: "1" }],
  });
  const messages = [
    user,
    { role: "assistant", content: [thought, use("a")] },
    answer("a"),
    { role: "assistant", content: [use("b")] },
    answer("b"),
  ];
  const { body } = send(
    "anthropic-messages",
    { model: "m", max_tokens: 9, messages },
    "openai-chat",
    { quirks: quirksOf(deepseek) },
  );

  const turns = ((body["messages"] ?? []) as readonly JsonObject[]).filter(
    ({ role }) => role === "assistant",
  );
  expect(turns.map(({ reasoning_content: reasoning }) => reasoning)).toEqual(["look it up", ""]);
});

for (const upstream of ["openai-chat", "dashscope"] as const) {
  test(`T17: an open Qwen model that is not streamed is told by ${upstream} not to think, which it would refuse`, () => {
    const quirks = quirksOf(ali);
    const given = { ...chat(user), reasoning_effort: "high" };
    const whole = send("openai-chat", given, upstream, { model: "qwen3-32b", quirks });
    const streamed = send("openai-chat", { ...given, stream: true }, upstream, {
      model: "qwen3-32b",
      quirks,
    });

    expect(JSON.stringify(whole.body)).toContain('"enable_thinking":false');
    expect(whole.losses).toEqual(["reasoning"]);
    expect(JSON.stringify(streamed.body)).toContain('"enable_thinking":true');
  });
}

test("T18: tools of Codex reach a chat upstream as functions, and their calls come back as they were", () => {
  const body = {
    model: "m",
    stream: true,
    input: [{ type: "agent_message", content: [{ type: "input_text", text: "hi" }] }],
    tools: [
      { type: "custom", name: "apply_patch", format: { type: "grammar", syntax: "lark" } },
      {
        type: "namespace",
        name: "shell",
        tools: [{ type: "function", name: "run", parameters: { type: "object" } }],
      },
      { type: "web_search" },
    ],
  };
  const { request } = parse("openai-responses", body);
  const sent = send("openai-responses", body, "openai-chat");
  const tools = (sent.body["tools"] ?? []) as readonly { readonly function: JsonObject }[];
  const piece = (index: number, name: string, args: string) => ({
    index,
    id: `c${index}`,
    function: { name, arguments: args },
  });
  const delta = {
    tool_calls: [piece(0, "apply_patch", '{"input":"*** Begin"}'), piece(1, "shell__run", "{}")],
  };
  const reader = translations["openai-chat"].upstream.openReader("seed");
  const events = [
    ...reader.read("", JSON.stringify({ id: "c", choices: [{ index: 0, delta }] })),
    ...reader.read("", JSON.stringify({ choices: [{ index: 0, finish_reason: "tool_calls" }] })),
    ...reader.end(),
  ];
  const restored = openToolRestorer(request)(events);
  const response = streamedAnswer("openai-responses", restored, { ...asked, body });

  expect(tools.map((tool) => tool.function["name"])).toEqual(["apply_patch", "shell__run"]);
  expect(sent.losses).toContain("tools.web_search");
  expect(response["output"]).toMatchObject([
    { type: "custom_tool_call", name: "apply_patch", input: "*** Begin" },
    { type: "function_call", name: "run", namespace: "shell", arguments: "{}" },
  ]);
  expect(foldAnswer(restored).finish?.reason).toBe("tool-call");
});

test("T20: a provider that refuses stream_options gets none, and nothing is reported lost", () => {
  const { body, losses } = send("openai-chat", { ...chat(user), stream: true }, "openai-chat", {
    quirks: quirksOf(mistral),
  });

  expect([body["stream"], body["stream_options"], losses]).toEqual([true, undefined, []]);
});

test("T31: Gemini's sources, whose places count bytes, stand where their text is, behind emoji too", () => {
  const text = "天气🌦 in Paris";
  const [start, end] = [Buffer.byteLength("天气🌦 in "), Buffer.byteLength(text)];
  const groundingMetadata = {
    groundingChunks: [{ web: { uri: "https://a", title: "A" } }, { web: { uri: "https://b" } }],
    groundingSupports: [
      { segment: { startIndex: start, endIndex: end }, groundingChunkIndices: [0, 7] },
    ],
  };
  const content = { parts: [{ text }] };
  const { items } = foldAnswer(
    translations["gemini-generate"].upstream.readAnswer(
      { candidates: [{ content, finishReason: "STOP", groundingMetadata }] },
      "seed",
    ),
  );

  const [part] = items[0]?.type === "message" ? items[0].parts : [];
  const citations = part?.type === "text" ? part.citations : [];
  expect(citations.map((each) => [each.url, each.start, each.end])).toEqual([
    ["https://a", 7, 12],
    ["https://b", null, null],
  ]);
  expect(Array.from(text).slice(7, 12).join("")).toBe("Paris");
});

test("T35: equal requests become equal bytes, so that the provider finds them in its cache", () => {
  const tools = ["b", "a"].map((name) => ({ type: "function", function: { name } }));
  const given = { ...chat(user, called("", "x"), result("x", "1"), user), tools };
  for (const upstream of ["anthropic-messages", "gemini-generate", "openai-responses"] as const) {
    const [one, two] = [1, 2].map(() => JSON.stringify(send("openai-chat", given, upstream).body));
    expect(two).toBe(one ?? "");
    // Tools keep the client's order.
    expect(one?.indexOf('"name":"b"')).toBeLessThan(one?.indexOf('"name":"a"') ?? 0);
  }
});
