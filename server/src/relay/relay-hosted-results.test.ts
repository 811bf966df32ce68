/** What tools of one provider have found and done, for clients of another's format. */

import { describe, expect, test } from "bun:test";
import type { JsonObject } from "#base/json.ts";
import { listOf, objectOf, textOf } from "#formats/shared/read-json.ts";
import { anthropic } from "#providers/anthropic.ts";
import { gemini } from "#providers/gemini.ts";
import type { Provider } from "#providers/provider.ts";
import { ask, eventsOf, jsonOf, requests, responsesOnly } from "./testing/translated.ts";

const found = { url: "https://w.example", title: "Weather" };
const hits = [{ type: "url", url: found.url }];

/** What OpenAI ran: the item of its answer. */
const openai = {
  search: {
    id: "ws_1",
    type: "web_search_call",
    status: "completed",
    action: { type: "search", query: "weather", queries: ["weather"], sources: hits },
  },
  code: {
    id: "ci_1",
    type: "code_interpreter_call",
    status: "completed",
    code: "print(4)",
    container_id: "cntr_1",
    outputs: [{ type: "logs", logs: "4\n" }],
  },
  mcp: {
    id: "mcp_1",
    type: "mcp_call",
    server_label: "docs",
    name: "read",
    arguments: '{"page":1}',
    output: "text",
    error: null,
    status: "completed",
  },
} as const;

const hit = { type: "web_search_result", ...found, encrypted_content: "Eo8k", page_age: null };

/** What Anthropic ran: the two blocks of its answer. */
const claude = {
  search: [
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "weather" } },
    { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [hit] },
  ],
  code: [
    {
      type: "server_tool_use",
      id: "srvtoolu_2",
      name: "code_execution",
      input: { code: "print(4)" },
    },
    {
      type: "code_execution_tool_result",
      tool_use_id: "srvtoolu_2",
      content: {
        type: "code_execution_result",
        stdout: "4\n",
        stderr: "",
        return_code: 0,
        content: [],
      },
    },
  ],
  mcp: [
    {
      type: "mcp_tool_use",
      id: "mcptoolu_1",
      name: "read",
      server_name: "docs",
      input: { page: 1 },
    },
    {
      type: "mcp_tool_result",
      tool_use_id: "mcptoolu_1",
      is_error: false,
      content: [{ type: "text", text: "text" }],
    },
  ],
} as const;

/** The two parts of Google's answer. */
const googleCode = [
  { executableCode: { language: "PYTHON", code: "print(4)" } },
  { codeExecutionResult: { outcome: "OUTCOME_OK", output: "4\n" } },
] as const;

const sunny = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text: "Sunny.", annotations: [] }],
};

/** Answers of the Responses format: whole, and as a stream. */
function responsesAnswer(item: object, isStream: boolean): string {
  const response = { id: "r", object: "response", model: "m", status: "completed" };
  const output = [item, sunny];
  if (!isStream) return jsonOf({ ...response, output });
  return eventsOf(
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.output_item.added", output_index: 1, item: { ...sunny, content: [] } },
    {
      type: "response.output_text.delta",
      item_id: "msg_1",
      output_index: 1,
      content_index: 0,
      delta: "Sunny.",
    },
    { type: "response.output_item.done", output_index: 1, item: sunny },
    { type: "response.completed", response: { ...response, output } },
  );
}

/** Answers of the Messages format: whole, and as a stream, where inputs come in pieces. */
function messagesAnswer(blocks: readonly JsonObject[], isStream: boolean): string {
  const message = { id: "m", type: "message", role: "assistant", model: "m" };
  const usage = { input_tokens: 9, output_tokens: 9 };
  const content = [...blocks, { type: "text", text: "Sunny." }];
  if (!isStream) return jsonOf({ ...message, content, stop_reason: "end_turn", usage });
  const pieces = content.flatMap((block, index): object[] => {
    const start = { type: "content_block_start", index };
    const stop = { type: "content_block_stop", index };
    const input = objectOf(block)["input"];
    if (input === undefined) return [{ ...start, content_block: block }, stop];
    const delta = { type: "input_json_delta", partial_json: JSON.stringify(input) };
    return [
      { ...start, content_block: { ...block, input: {} } },
      { type: "content_block_delta", index, delta },
      stop,
    ];
  });
  return eventsOf(
    { type: "message_start", message: { ...message, content: [], stop_reason: null, usage } },
    ...pieces,
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
    { type: "message_stop" },
  );
}

function geminiAnswer(parts: readonly object[], isStream: boolean): string {
  const content = { role: "model", parts: [...parts, { text: "Sunny." }] };
  const body = { candidates: [{ content, finishReason: "STOP" }] };
  return isStream ? eventsOf(body) : jsonOf(body);
}

const eventsIn = (text: string): JsonObject[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => objectOf(JSON.parse(line.slice(6)) as JsonObject));

/** Returns the blocks that a client of Messages has in the end, as its SDK puts them together. */
function blocksIn(text: string, isStream: boolean): readonly JsonObject[] {
  // Safe cast: the relay wrote it.
  if (!isStream) return listOf((JSON.parse(text) as JsonObject)["content"]).map(objectOf);
  const blocks: JsonObject[] = [];
  const inputs = new Map<number, string>();
  for (const event of eventsIn(text)) {
    const index = Number(event["index"]);
    const delta = objectOf(event["delta"]);
    if (event["type"] === "content_block_start") {
      expect(index).toBe(blocks.length);
      blocks.push(objectOf(event["content_block"]));
    }
    if (delta["type"] === "text_delta") {
      const { text: before } = objectOf(blocks[index]);
      blocks[index] = { ...blocks[index], text: textOf(before) + textOf(delta["text"]) };
    }
    if (delta["type"] !== "input_json_delta") continue;
    inputs.set(index, (inputs.get(index) ?? "") + textOf(delta["partial_json"]));
  }
  return blocks.map((block, index) => {
    const input = inputs.get(index);
    return input === undefined ? block : { ...block, input: JSON.parse(input) as JsonObject };
  });
}

/** Returns the items that a client of Responses has in the end, and checks the order of events. */
function itemsIn(text: string, isStream: boolean): readonly JsonObject[] {
  // Safe cast: the relay wrote it.
  if (!isStream) return listOf((JSON.parse(text) as JsonObject)["output"]).map(objectOf);
  const events = eventsIn(text);
  const done = events.filter(({ type }) => type === "response.output_item.done");
  const added = events.filter(({ type }) => type === "response.output_item.added");
  expect(added.map((event) => event["output_index"])).toEqual(
    done.map((event) => event["output_index"]),
  );
  const end = objectOf(events.at(-1)?.["response"]);
  const items = listOf(end["output"]).map(objectOf);
  expect(done.map((event) => event["item"])).toEqual(items);
  return items;
}

async function asked(
  [provider, answer]: readonly [Provider, string],
  path: "/v1/messages" | "/v1/responses",
  isStream: boolean,
  more: object = {},
) {
  return await ask(
    provider,
    () => answer,
    path,
    requests[path]({ ...(isStream ? { stream: true } : {}), ...more }),
  );
}

const own = /^(?:srvtoolu|mcptoolu|ws|ci|mcp)_tollgate_[A-Za-z0-9_-]+$/;

for (const isStream of [false, true]) {
  describe(isStream ? "in a stream" : "in a whole answer", () => {
    for (const what of ["search", "code", "mcp"] as const) {
      test(`${what} of OpenAI comes to a client of Messages as a tool that the server used`, async () => {
        const answer = responsesAnswer(openai[what], isStream);
        const { status, text } = await asked([responsesOnly, answer], "/v1/messages", isStream);
        const blocks = blocksIn(text, isStream);

        expect(status).toBe(200);
        const [use, result] = claude[what];
        const { id: _, ...useFields } = use;
        const { tool_use_id: __, ...resultFields } = result;
        const sources = [{ type: "web_search_result", url: found.url }];
        expect(blocks).toMatchObject([
          { type: "redacted_thinking" },
          useFields,
          what === "search" ? { ...resultFields, content: sources } : resultFields,
          { type: "text", text: "Sunny." },
        ]);
        expect(textOf(blocks[1]?.["id"])).toMatch(own);
        expect(blocks[2]?.["tool_use_id"]).toBe(blocks[1]?.["id"] ?? "");
      });

      test(`${what} of Anthropic comes to a client of Responses as a call of its own`, async () => {
        const answer = messagesAnswer(claude[what], isStream);
        const { status, text } = await asked([anthropic, answer], "/v1/responses", isStream);
        const items = itemsIn(text, isStream);

        expect(status).toBe(200);
        const { id: _, ...fields } = openai[what];
        const wanted = what === "code" ? { ...fields, container_id: "" } : fields;
        expect(items).toMatchObject([
          { type: "reasoning" },
          { type: "reasoning" },
          wanted,
          { type: "message" },
        ]);
        expect(textOf(items[2]?.["id"])).toMatch(own);
      });
    }

    test("code that Google ran comes to clients of Messages and Responses", async () => {
      const upstream = [gemini, geminiAnswer(googleCode, isStream)] as const;
      const messages = await asked(upstream, "/v1/messages", isStream);
      const [use, result] = claude.code;
      expect(blocksIn(messages.text, isStream)).toMatchObject([
        { type: "redacted_thinking" },
        { type: "redacted_thinking" },
        { type: "server_tool_use", input: use.input },
        { type: "code_execution_tool_result", content: result.content },
        { type: "text", text: "Sunny." },
      ]);
      const responses = await asked(upstream, "/v1/responses", isStream);
      expect(itemsIn(responses.text, isStream)[2]).toMatchObject({
        type: "code_interpreter_call",
        code: "print(4)",
        outputs: [{ type: "logs", logs: "4\n" }],
      });
    });

    test("code that OpenAI or Anthropic ran comes to a client of Google's format", async () => {
      for (const upstream of [
        [responsesOnly, responsesAnswer(openai.code, isStream)],
        [anthropic, messagesAnswer(claude.code, isStream)],
      ] as const) {
        const [provider, answer] = upstream;
        const how = isStream ? "streamGenerateContent?alt=sse" : "generateContent";
        const body = { contents: [{ role: "user", parts: [{ text: "hi" }] }] };
        const { text } = await ask(provider, () => answer, `/v1beta/models/m:${how}`, body);
        for (const part of googleCode) {
          expect(text).toContain(JSON.stringify(part).slice(1, -1));
        }
      }
    });
  });
}

test("what failed is told as failed", async () => {
  const failed = { ...openai.mcp, output: null, error: "no such page", status: "failed" };
  const there = await asked([responsesOnly, responsesAnswer(failed, false)], "/v1/messages", false);
  expect(blocksIn(there.text, false)[2]).toMatchObject({
    type: "mcp_tool_result",
    is_error: true,
    content: [{ type: "text", text: "no such page" }],
  });
  const [use] = claude.search;
  const error = { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" };
  const result = { type: "web_search_tool_result", tool_use_id: use.id, content: error };
  const answer = messagesAnswer([use, result], false);
  const back = await asked([anthropic, answer], "/v1/responses", false);
  expect(itemsIn(back.text, false)[2]).toMatchObject({ type: "web_search_call", status: "failed" });
});

test("in the next turn the provider gets what it sent itself, and nothing of the copy", async () => {
  const first = await asked(
    [responsesOnly, responsesAnswer(openai.search, false)],
    "/v1/messages",
    false,
  );
  const user = { role: "user", content: "hi" };
  const messages = [user, { role: "assistant", content: blocksIn(first.text, false) }, user];
  const answer = responsesAnswer(openai.search, false);
  const next = await asked([responsesOnly, answer], "/v1/messages", false, { messages });
  expect(next.sent).toContain(JSON.stringify(openai.search));
  expect(next.sent.match(/web_search_call/g)).toHaveLength(1);
  expect(next.sent).not.toContain("_tollgate_");
  const elsewhere = await asked([anthropic, messagesAnswer([], false)], "/v1/messages", false, {
    messages,
  });
  expect(elsewhere.status).toBe(200);
  expect(elsewhere.sent).not.toMatch(/server_tool_use|_tollgate_/);

  const there = await asked(
    [anthropic, messagesAnswer(claude.search, false)],
    "/v1/responses",
    false,
  );
  const item = { role: "user", content: "hi" };
  const input = [item, ...itemsIn(there.text, false), item];
  const again = await asked([anthropic, messagesAnswer([], false)], "/v1/responses", false, {
    input,
  });
  for (const block of claude.search) expect(again.sent).toContain(JSON.stringify(block));
  expect(again.sent).not.toMatch(/web_search_call|_tollgate_/);
  expect(again.losses).toBe("");
});

test("the sources of a search and the output of code are asked for, since OpenAI leaves them out", async () => {
  const answer = responsesAnswer(openai.search, false);
  const tools = [
    { type: "web_search_20250305", name: "web_search" },
    { type: "code_execution_20250825", name: "code_execution" },
  ];
  const { sent } = await asked([responsesOnly, answer], "/v1/messages", false, { tools });
  expect(JSON.parse(sent)).toMatchObject({
    include: ["web_search_call.action.sources", "code_interpreter_call.outputs"],
  });
});

test("what the model wrote for a tool of its provider is output: a count that contains it is believed", async () => {
  const code = "x = 1\n".repeat(2_000);
  const [use, result] = claude.code;
  const content = [{ ...use, input: { code } }, result, { type: "text", text: "Done." }];
  const message = { id: "m", type: "message", role: "assistant", model: "m" };
  const usage = { input_tokens: 90_000, output_tokens: 9_000 };
  const whole = jsonOf({ ...message, content, stop_reason: "end_turn", usage });
  for (const path of ["/v1/responses", "/v1/chat/completions"] as const) {
    const { text, relay } = await ask(anthropic, () => whole, path, requests[path]({}));
    expect(text).toMatch(/"(?:completion|output)_tokens":9000/);
    expect(relay.money.settled).toMatchObject([{ log: { usage: { output: 9_000 } } }]);
  }
});

test("a client of Messages may send instructions alone, as the other formats' clients may", async () => {
  const system = "Tell a joke.";
  const answer = responsesAnswer(openai.search, false);
  const given = requests["/v1/messages"]({ system, messages: undefined });
  const { status, sent } = await ask(responsesOnly, () => answer, "/v1/messages", given);
  expect([status, sent.includes(system)]).toEqual([200, true]);
  const none = requests["/v1/messages"]({ messages: undefined });
  const refused = await ask(responsesOnly, () => answer, "/v1/messages", none);
  expect([refused.status, refused.text.includes("field messages is required")]).toEqual([
    400,
    true,
  ]);
});
