/** What upstreams take less of than clients send: it is changed on the way, and changed back in answers. */

import { describe, expect, test } from "bun:test";
import type { JsonObject } from "#base/json.ts";
import { anthropic } from "#providers/anthropic.ts";
import { gemini } from "#providers/gemini.ts";
import type { Provider } from "#providers/provider.ts";
import { ask, chatOnly, chatText, jsonOf, requests, responsesOnly } from "./testing/translated.ts";

const schema = { type: "object", properties: { city: { type: "string" } } };
const [dotted, long] = ["files.read/all:now", `mcp__${"long_".repeat(20)}search`];

/** Tools with such names, and an earlier call of one of them, in each client format. */
const toolRequests = {
  "/v1/chat/completions": requests["/v1/chat/completions"]({
    tools: [dotted, long].map((name) => ({
      type: "function",
      function: { name, parameters: schema },
    })),
    tool_choice: { type: "function", function: { name: long } },
    messages: [
      { role: "user", content: "hi" },
      {
        role: "assistant",
        tool_calls: [{ id: "c", type: "function", function: { name: dotted, arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c", content: "done" },
    ],
  }),
  "/v1/messages": requests["/v1/messages"]({
    tools: [dotted, long].map((name) => ({ name, input_schema: schema })),
    tool_choice: { type: "tool", name: long },
    messages: [
      { role: "user", content: "hi" },
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: dotted, input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "done" }] },
    ],
  }),
  "/v1/responses": requests["/v1/responses"]({
    tools: [dotted, long].map((name) => ({ type: "function", name, parameters: schema })),
    tool_choice: { type: "function", name: long },
    input: [
      { role: "user", content: "hi" },
      { type: "function_call", call_id: "c", name: dotted, arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: "done" },
    ],
  }),
} as const;

const name = /"name":"([^"]+)"/g;

/** Upstreams that call every tool that they are given, by the name that they are given. */
const callers = [
  [
    chatOnly,
    (sent: string) => {
      const { tools } = JSON.parse(sent) as { tools: { function: { name: string } }[] };
      const tool_calls = tools.map((tool, index) => ({
        id: `call_${index}`,
        type: "function",
        function: { name: tool.function.name, arguments: "{}" },
      }));
      const message = { role: "assistant", content: null, tool_calls };
      return jsonOf({ id: "c", choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
    },
  ],
  [
    anthropic,
    (sent: string) => {
      const { tools } = JSON.parse(sent) as { tools: { name: string }[] };
      const content = tools.map((tool, index) => ({
        type: "tool_use",
        id: `call_${index}`,
        name: tool.name,
        input: {},
      }));
      return jsonOf({
        id: "m",
        type: "message",
        role: "assistant",
        content,
        stop_reason: "tool_use",
      });
    },
  ],
  [
    responsesOnly,
    (sent: string) => {
      const { tools } = JSON.parse(sent) as { tools: { name: string }[] };
      const output = tools.map((tool, index) => ({
        type: "function_call",
        id: `fc_${index}`,
        call_id: `call_${index}`,
        name: tool.name,
        arguments: "{}",
      }));
      return jsonOf({ id: "r", object: "response", status: "completed", output });
    },
  ],
  [
    gemini,
    (sent: string) => {
      const { tools } = JSON.parse(sent) as {
        tools: { functionDeclarations: { name: string }[] }[];
      };
      const parts = tools[0]?.functionDeclarations.map((tool) => ({
        functionCall: { name: tool.name, args: {} },
      }));
      const content = { role: "model", parts };
      return jsonOf({ candidates: [{ index: 0, content, finishReason: "STOP" }] });
    },
  ],
] as const;

describe("names of tools that are too long or have other characters", () => {
  for (const [path, body] of Object.entries(toolRequests)) {
    for (const [provider, answering] of callers) {
      const speaks = Object.keys(provider.formats);
      if (path === "/v1/messages" && speaks.includes("anthropic-messages")) continue;
      if (path === "/v1/responses" && speaks.includes("openai-responses")) continue;
      if (path === "/v1/chat/completions" && speaks.includes("openai-chat")) continue;
      test(`${path}: a ${provider.id} upstream (${speaks[0]}) gets names that it takes, and the client its own`, async () => {
        const { status, sent, text } = await ask(provider, answering, path, body);

        expect(status).toBe(200);
        const names = [...sent.matchAll(name)].map(([, found = ""]) => found);
        expect(names.length).toBeGreaterThan(3);
        for (const each of names) expect(each).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
        // Two tools, and their names wherever else the request has them.
        expect(new Set(names).size).toBe(2);
        expect(sent).not.toContain(long);
        for (const own of [dotted, long]) expect(text).toContain(`"name":"${own}"`);
      });
    }
  }

  test("names that are alike once they are changed stay apart, and right ones stay as they are", async () => {
    const names = ["a.b", "a/b", "a_b", `${"x".repeat(70)}1`, `${"x".repeat(70)}2`];
    const tools = names.map((each) => ({ name: each, input_schema: schema }));
    const [[provider, answering]] = callers;
    const body = requests["/v1/messages"]({ tools });
    const { sent, text } = await ask(provider, answering, "/v1/messages", body);

    const sentNames = [...sent.matchAll(name)].map(([, found]) => found);
    expect(new Set(sentNames).size).toBe(5);
    expect(sentNames).toContain("a_b");
    for (const own of names) expect(text).toContain(`"name":"${own}"`);
  });
});

describe("names of users that are too long", () => {
  const userId = JSON.stringify({ device_id: "a".repeat(64), session_id: "0f8fad5b".repeat(8) });
  const sentBy = async (path: keyof typeof requests, provider: Provider, more: object) => {
    const { sent } = await ask(provider, () => chatText("ok"), path, requests[path](more));
    return JSON.parse(sent) as JsonObject;
  };

  test("reach OpenAI's formats as a keyed hash of 64 letters, the same for the same user", async () => {
    const metadata = { user_id: userId };
    const first = await sentBy("/v1/messages", chatOnly, { metadata });
    const again = await sentBy("/v1/messages", chatOnly, { metadata });
    const other = await sentBy("/v1/messages", chatOnly, { metadata: { user_id: `${userId} ` } });
    expect(first["user"]).toMatch(/^[0-9a-f]{64}$/);
    expect(again["user"]).toBe(first["user"]);
    expect(other["user"]).not.toBe(first["user"]);

    const { safety_identifier } = await sentBy("/v1/messages", responsesOnly, { metadata });
    expect(safety_identifier).toBe(first["user"]);
  });

  test("stay as they are where they are short enough, which for Anthropic is 256 letters", async () => {
    const [short, middle, far] = ["ada", "b".repeat(256), "c".repeat(257)];
    const metadata = { user_id: short };
    expect(await sentBy("/v1/messages", chatOnly, { metadata })).toMatchObject({ user: short });
    const toAnthropic = async (user: string) =>
      await sentBy("/v1/chat/completions", anthropic, { user });
    expect(await toAnthropic(middle)).toMatchObject({ metadata: { user_id: middle } });
    expect(JSON.stringify(await toAnthropic(far))).toMatch(/"user_id":"[0-9a-f]{64}"/);
  });

  test("the same holds for keys of caches", async () => {
    const more = { prompt_cache_key: "k".repeat(65) };
    const { prompt_cache_key: key } = await sentBy("/v1/chat/completions", responsesOnly, more);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
  });
});

test("halves of surrogate pairs are replaced, and what only looks like one stays", async () => {
  const content = "cut \ud83d, whole \u{1f600}, text \\ud83d";
  const body = requests["/v1/messages"]({ messages: [{ role: "user", content }] });
  const { sent } = await ask(chatOnly, () => chatText("ok"), "/v1/messages", body);

  expect(sent).toContain("cut \ufffd, whole \u{1f600}, text \\\\ud83d");
});

test("turns of the model without any content are left out", async () => {
  const messages = [
    { role: "user", content: "one" },
    { role: "assistant", content: [{ type: "text", text: "" }] },
    { role: "user", content: "two" },
    { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "" }] },
    { role: "user", content: "three" },
  ];
  const body = requests["/v1/messages"]({ messages });
  for (const provider of [chatOnly, responsesOnly]) {
    const { sent } = await ask(provider, () => chatText("ok"), "/v1/messages", body);
    expect(sent).not.toContain('"assistant"');
    for (const word of ["one", "two", "three"]) expect(sent).toContain(word);
  }
});

describe("schemas of tools", () => {
  const sentSchema = async (given: object, strict?: boolean) => {
    const { sent, losses } = await ask(
      chatOnly,
      () => chatText("ok"),
      "/v1/responses",
      requests["/v1/responses"]({
        tools: [{ type: "function", name: "t", parameters: given, strict }],
      }),
    );
    const { tools } = JSON.parse(sent) as { tools: { function: JsonObject }[] };
    const [tool] = tools;
    return { ...tool?.function, losses };
  };
  const [city, zip] = [{ city: { type: "string" } }, { zip: { type: "number" } }];

  test("whose root refers to parts or joins them get one list of properties, which takes the same", async () => {
    const $defs = { Place: { type: "object", properties: city, required: ["city"] } };
    expect(await sentSchema({ $ref: "#/$defs/Place", $defs })).toMatchObject({
      parameters: { type: "object", properties: city, required: ["city"] },
      losses: "",
    });
    const allOf = [{ $ref: "#/$defs/Place" }, { properties: zip, required: ["zip"] }];
    expect(await sentSchema({ $defs, allOf })).toMatchObject({
      parameters: { properties: { ...city, ...zip }, required: ["city", "zip"] },
      losses: "",
    });
  });

  test("whose root has alternatives take all of them, and the loss is named", async () => {
    for (const word of ["anyOf", "oneOf"]) {
      const options = [
        { type: "object", properties: { ...city, kind: { const: "a" } }, required: ["kind"] },
        { type: "object", properties: { ...zip, kind: { const: "b" } }, required: ["kind", "zip"] },
      ];
      const found = await sentSchema({ type: "object", [word]: options });
      expect(found).toMatchObject({
        parameters: {
          type: "object",
          properties: { ...city, ...zip, kind: { anyOf: [{ const: "a" }, { const: "b" }] } },
          required: ["kind"],
        },
        losses: "tools.parameters details",
      });
      expect(JSON.stringify(found)).not.toContain(word === "oneOf" ? '"oneOf"' : '"anyOf":[{"type');
    }
    for (const word of ["enum", "not"]) {
      const found = await sentSchema({ type: "object", properties: city, [word]: [{}] });
      expect(found).toMatchObject({
        parameters: { type: "object", properties: city },
        losses: "tools.parameters details",
      });
      expect(JSON.stringify(found)).not.toContain(word);
    }
  });

  test("have to be followed only if they keep the rules for that", async () => {
    const closed = { type: "object", properties: city, required: ["city"] };
    const right = { ...closed, additionalProperties: false };
    expect(await sentSchema(right, true)).toMatchObject({ strict: true, losses: "" });
    const within = { ...right, properties: { city: { type: "object", properties: zip } } };
    for (const wrong of [closed, { ...right, required: [] }, within, { ...right, default: {} }]) {
      expect(await sentSchema(wrong, true)).toMatchObject({ strict: false, losses: "strict" });
    }
    expect(await sentSchema(closed, false)).toMatchObject({ strict: false, losses: "" });
    expect(await sentSchema(closed)).not.toHaveProperty("strict");
  });

  test("of answers follow the same rule", async () => {
    const format = { type: "json_schema", schema: { type: "object", properties: city } };
    const body = requests["/v1/messages"]({ output_config: { format } });
    const { sent, losses } = await ask(chatOnly, () => chatText("{}"), "/v1/messages", body);
    expect(sent).toContain('"strict":false');
    expect(losses).toBe("strict");
  });
});
