import { expect, test } from "bun:test";
import { firstChatModel, showSnippet, snippetKinds } from "./token-snippets.ts";

const key = `sk-${"aB3".repeat(16)}`;
const of = { serverUrl: "https://gate.example", key, model: `it's "a" model` };

test("every example names server, key and model, quoted for its language", () => {
  for (const kind of snippetKinds) {
    const { code } = showSnippet(kind, of);
    expect(code).toContain("https://gate.example");
    expect(code).toContain(key);
  }
  // A quote in a model's name must be escaped, so that it does not end the shell's string.
  expect(showSnippet("curl", of).code).toContain(`"model":"it'\\''s \\"a\\" model"`);
  expect(showSnippet("python", of).code).toContain(`model="it's \\"a\\" model"`);
});

test("clients of OpenAI get the base URL with /v1, because they add only the rest of the path", () => {
  expect(showSnippet("node", of).code).toContain('baseURL: "https://gate.example/v1"');
  expect(showSnippet("python", of).code).toContain('base_url="https://gate.example/v1"');
});

test("an example names a model that chats, if there is one", () => {
  expect(firstChatModel(["babbage-002", "text-embedding-3-small", "gpt-4o-mini"])).toBe(
    "gpt-4o-mini",
  );
  expect(firstChatModel(["text-embedding-3-small"])).toBe("text-embedding-3-small");
  expect(firstChatModel([])).toBeUndefined();
});
