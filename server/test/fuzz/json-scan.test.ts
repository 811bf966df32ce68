import { expect } from "bun:test";
import { depthMax } from "#base/json-cursor.ts";
import { readJson, scanObject } from "#base/json-scan.ts";
import { openaiChat } from "#formats/openai-chat/openai-chat.ts";
import { fuzz, mutate } from "./fuzz.ts";

const samples = [
  '{"model":"gpt-4o","stream":true,"n":1,"messages":[{"role":"user","content":"hi"}]}',
  '{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:x"}}]}],"model":"m","max_tokens":5}',
  '{ "mod\\u0065l" : "a\\"b\\\\c" , "max_tokens" : -1.5e3 , "stream_options" : {"include_usage":true} }',
  '{"prompt":["a","b"],"model":"m","best_of":3,"n":null}',
  '{"Model":"x","model":"y","model":"z"}',
  "{}",
  "[]",
  '{"input":{"a":[[[[]]]]},"model":""}',
];

const keys = ["model", "stream", "n", "max_tokens", "messages", "stream_options"];
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

fuzz("what is priced is what every JSON parser behind us reads", (random) => {
  const bytes = encoder.encode(mutate(random, samples));
  const scan = scanObject(bytes, keys);
  const text = decoder.decode(bytes);
  const shape = parse(withoutTexts(text));
  expect(scan.errorAt === -1).toBe(isObject(shape) && depthOf(shape) <= depthMax);
  const parsed = parse(text);
  if (!isObject(parsed) || scan.errorAt !== -1) return;
  for (const key of keys) {
    const span = scan.values.get(key);
    expect(span !== undefined).toBe(Object.hasOwn(parsed, key));
    // Parsers differ in which of two equal keys they use, so the scan must report the key as
    // doubled.
    if (span === undefined || scan.doubled.includes(key)) continue;
    expect<unknown>(readJson(bytes, span)).toEqual(parsed[key]);
  }
});

fuzz("a request body is read or refused, never taken with a count out of range", (random) => {
  const modality = random.pick(["chat", "completions", "embeddings"] as const);
  const body = openaiChat.client.readRequest(encoder.encode(mutate(random, samples)), {
    modality,
    model: null,
  });
  if ("code" in body) {
    expect(body.message).not.toBe("");
    return;
  }
  expect(body.model.length).toBeGreaterThan(0);
  expect(body.answerCount).toBeGreaterThanOrEqual(1);
  expect(body.answerCount).toBeLessThanOrEqual(128);
  expect(Number.isSafeInteger(body.maxTokens ?? 1)).toBe(true);
});

const answers = [
  '{"id":"1","choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":null}]}',
  '{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}',
  '{"error":{"message":"no","type":"x","code":"y"}}',
  '{"choices":[{"message":{"content":null,"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}}]}',
  "[DONE]",
];

fuzz("an event of an upstream is scanned within its bytes, whatever it holds", (random) => {
  const bytes = encoder.encode(`data: ${mutate(random, answers)}\n\n`);
  const scanner = openaiChat.upstream.openScanner();
  scanner.scanEvent(bytes, 6, bytes.length - 2);
  const { found } = scanner;
  for (const at of [...found.texts, Math.max(found.usageStart, 6), Math.max(found.usageEnd, 6)]) {
    expect(at >= 6 && at <= bytes.length - 2).toBe(true);
  }
  expect(found.usageEnd).toBeGreaterThanOrEqual(found.usageStart);
});

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Removes the inside of strings, which the scan does not check. A line break or an unknown escape
 * there is invalid JSON, but it changes no other value.
 */
function withoutTexts(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\[^])*"/g, (string) =>
    string.replaceAll(/\\[^]|\p{Cc}/gu, "_"),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
