import { expect, test } from "bun:test";
import type { Format } from "#formats/format.ts";
import { formats } from "#formats/registry.ts";
import { boundsOf } from "./hold-size.ts";

const anthropicMessages = formats["anthropic-messages"];
const geminiGenerate = formats["gemini-generate"];
const openaiResponses = formats["openai-responses"];

/** Input tokens held for a request with the fields. */
function heldInput(format: Format, fields: object): number {
  const bytes = new TextEncoder().encode(JSON.stringify({ model: "m", ...fields }));
  const body = format.client?.readRequest(bytes, { modality: "chat", model: "m" });
  if (body === undefined || !("textBytes" in body)) throw new Error("the request was refused");
  const { input, inputMax } = boundsOf(body, 0);
  // What the provider adds may be longer than what is held for it.
  expect(inputMax).toBe(input > 100_000 ? Infinity : input);
  return input;
}

const messages = [{ role: "user", content: "hi" }];
const contents = [{ role: "user", parts: [{ text: "hi" }] }];

test("a call whose provider runs tools holds for the prompts that the request does not show", () => {
  for (const type of ["web_search_20250305", "web_fetch_20250910", "code_execution_20250825"]) {
    const tools = [
      { name: "a", input_schema: {} },
      { type, name: "b" },
    ];
    expect(heldInput(anthropicMessages, { messages, tools }), type).toBeGreaterThan(100_000);
  }
  for (const type of [
    "web_search",
    "web_search_preview",
    "file_search",
    "code_interpreter",
    "mcp",
  ]) {
    const tools = [{ type: "function", name: "a" }, { type }];
    expect(heldInput(openaiResponses, { input: "hi", tools }), type).toBeGreaterThan(100_000);
  }
  for (const key of ["googleSearch", "url_context", "codeExecution"]) {
    const tools = [{ functionDeclarations: [] }, { [key]: {} }];
    expect(heldInput(geminiGenerate, { contents, tools }), key).toBeGreaterThan(100_000);
  }
});

test("a call that goes on with a conversation at the provider holds for that conversation", () => {
  const input = "hi";
  expect(heldInput(openaiResponses, { input, previous_response_id: "r" })).toBeGreaterThan(100_000);
  expect(heldInput(geminiGenerate, { contents, cachedContent: "c" })).toBeGreaterThan(100_000);
  expect(heldInput(anthropicMessages, { messages, mcp_servers: [{}] })).toBeGreaterThan(100_000);
});

test("the provider's own tools in an item of the input hold like those in the request's own list", () => {
  for (const type of ["additional_tools", "tool_search_output"]) {
    const tools = [{ type: "function", name: "a" }, { type: "web_search" }];
    const items = (own: object[]) => [
      { type, tools: own },
      { role: "user", content: "hi" },
    ];
    expect(heldInput(openaiResponses, { input: items(tools), tools: [] })).toBeGreaterThan(100_000);
    expect(heldInput(openaiResponses, { input: items(tools.slice(0, 1)) })).toBeLessThan(1_000);
  }
});

test("tools that the client runs hold only for their text, whatever they are called", () => {
  const schema = { type: "object", properties: { googleSearch: { type: "web_search" } } };
  const anthropic = [
    { name: "web_search", input_schema: schema },
    { type: "custom", name: "mcp", input_schema: schema },
    { type: "bash_20250124", name: "bash" },
  ];
  const responses = [{ type: "function", name: "web_search", parameters: schema }];
  const gemini = [{ functionDeclarations: [{ name: "googleSearch", parameters: schema }] }];
  expect(heldInput(anthropicMessages, { messages, tools: anthropic })).toBeLessThan(1_000);
  expect(
    heldInput(openaiResponses, { input: "hi", tools: responses, previous_response_id: null }),
  ).toBeLessThan(1_000);
  expect(heldInput(geminiGenerate, { contents, tools: gemini })).toBeLessThan(1_000);
});
