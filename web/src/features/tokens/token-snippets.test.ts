import { expect, test } from "bun:test";
import { showSnippet, snippetKinds } from "./token-snippets.ts";
import { maskKeyword, searchOf } from "./tokens.search.ts";

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

test("O-262: a pasted key is searched by the part its mask shows, and never stands in the address", () => {
  expect(maskKeyword(key)).toBe("sk-aB3a••••BaB3".replace("BaB3", key.slice(-4)));
  expect(maskKeyword(` ${key.slice(3)} `)).not.toContain(key.slice(3));
  expect(searchOf(maskKeyword(key))).toEqual({ token: maskKeyword(key) });
  expect(searchOf("sk-aB3")).toEqual({ token: "sk-aB3" });
});

test("O-261: any other keyword is part of a name", () => {
  expect(maskKeyword("team skill")).toBe("team skill");
  expect(searchOf(" team ")).toEqual({ keyword: "team" });
});
