import { describe, expect, test } from "bun:test";
import { openWordSearch } from "#base/word-search.ts";
import { formats } from "#formats/registry.ts";
import { checkWords } from "./words.ts";

const findWord = openWordSearch(["forbidden", "敏感"]) ?? (() => false);
const { fields } = formats["openai-chat"].client;

function isRefused(body: string): boolean {
  try {
    checkWords({ findWord, fields }, new TextEncoder().encode(body));
    return false;
  } catch (error) {
    expect(error).toMatchObject({ status: 400, code: "sensitive_words_detected" });
    return true;
  }
}

describe("A-167: a word is found", () => {
  const bodies = {
    "in a message": '{"messages":[{"role":"user","content":"a FORBIDDEN word"}]}',
    "in a part": '{"messages":[{"content":[{"type":"text","text":"很敏感的"}]}]}',
    "behind escapes": '{"messages":[{"content":"for\\u0062idden"}]}',
    "in a prompt": '{"prompt":["fine","forbidden"]}',
    "in an input": '{"input":"forbidden"}',
    "in a system prompt": '{"system":[{"text":"forbidden"}],"messages":[]}',
    "in a Gemini part": '{"contents":[{"parts":[{"text":"forbidden"}]}]}',
    "in items": '{"instructions":"","input":[{"content":[{"text":"forbidden"}]}]}',
  };
  for (const [where, body] of Object.entries(bodies)) {
    test(where, () => expect(isRefused(body)).toBe(true));
  }
});

describe("no word is found", () => {
  const bodies = {
    "in a picture": '{"messages":[{"content":[{"image_url":{"url":"data:forbidden"}}]}]}',
    "in names of fields": '{"messages":[{"content":"fine","forbidden":1}],"user":"forbidden"}',
    "in the model's name": '{"model":"forbidden","messages":[{"content":"fine"}]}',
    "across two texts": '{"prompt":["for","bidden"]}',
  };
  for (const [where, body] of Object.entries(bodies)) {
    test(where, () => expect(isRefused(body)).toBe(false));
  }
});
