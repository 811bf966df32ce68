/** Answers with items of tools that providers ran, and what clients have of them in the end. */

import { expect } from "bun:test";
import type { JsonObject } from "#base/json.ts";
import { listOf, objectOf, textOf } from "#formats/shared/read-json.ts";
import type { Provider } from "#providers/provider.ts";
import { ask, eventsOf, jsonOf, requests } from "./translated.ts";

export const found = { url: "https://w.example", title: "Weather" };
export const hits = [{ type: "url", url: found.url }];

/** What OpenAI ran: the item of its answer. */
export const openai = {
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
export const claude = {
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
export const googleCode = [
  { executableCode: { language: "PYTHON", code: "print(4)" } },
  { codeExecutionResult: { outcome: "OUTCOME_OK", output: "4\n" } },
] as const;

export const sunny = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text: "Sunny.", annotations: [] }],
};

/** Answers of the Responses format: whole, and as a stream. */
export function responsesAnswer(item: object, isStream: boolean): string {
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
export function messagesAnswer(blocks: readonly JsonObject[], isStream: boolean): string {
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

export function geminiAnswer(parts: readonly object[], isStream: boolean): string {
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
export function blocksIn(text: string, isStream: boolean): readonly JsonObject[] {
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
export function itemsIn(text: string, isStream: boolean): readonly JsonObject[] {
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

export async function asked(
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
