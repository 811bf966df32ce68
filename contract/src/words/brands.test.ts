import { expect, test } from "bun:test";
import { brandOfModel, brandOfType, brands, inTypeOrder, isDatedType } from "./brands.ts";

test("brands are sorted, and no channel type belongs to two of them", () => {
  const ids = brands.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].toSorted());
  const types = brands.flatMap((brand) => brand.types);
  expect(types.length).toBe(new Set(types).size);
});

test.each([
  ["gpt-4o-mini", "openai"],
  ["o3", "openai"],
  ["text-embedding-3-small", "openai"],
  ["claude-sonnet-4-5-20250929", "anthropic"],
  ["us.anthropic.claude-3-5-sonnet-20240620-v1:0", "anthropic"],
  ["gemini-2.5-pro", "google"],
  ["text-embedding-004", "google"],
  ["text-embedding-v3", "alibaba"],
  ["Qwen/Qwen3-235B-A22B", "alibaba"],
  ["deepseek-ai/DeepSeek-V3.1", "deepseek"],
  // DeepSeek distilled this model from Llama, so it belongs to DeepSeek.
  ["deepseek-r1-distill-llama-70b", "deepseek"],
  ["openrouter/openai/gpt-5", "openai"],
  ["@cf/meta/llama-3.1-8b-instruct", "meta"],
  ["@cf/unknown/thing", "cloudflare"],
  ["grok-4", "xai"],
  ["kimi-k2-0905-preview", "moonshot"],
  ["glm-4.6", "zhipu"],
  ["llama3:8b", "meta"],
  ["m3e-base", "moka"],
  ["nova-3", "deepgram"],
  ["nova-pro-v1", "aws"],
  ["eleven_multilingual_v2", "elevenlabs"],
])("%s is a model of %s", (model, brand) => {
  expect(brandOfModel(model)?.id).toBe(brand);
});

test("a name that nobody is known for belongs to nobody", () => {
  for (const model of ["demo-chat", "", "/", "o1x", "my-gpt-4"]) {
    expect(brandOfModel(model)).toBeNull();
  }
  expect(brandOfType(99_999)).toBeNull();
});

test("popular channel types come first and dated ones last", () => {
  const types = [
    { type: 9, label: "AILS" },
    { type: 31, label: "01.AI" },
    { type: 43, label: "DeepSeek" },
    { type: 7, label: "OhMyGPT" },
    { type: 1, label: "OpenAI" },
  ];
  expect(inTypeOrder(types).map(({ label }) => label)).toEqual([
    "OpenAI",
    "DeepSeek",
    "01.AI",
    "OhMyGPT",
    "AILS",
  ]);
  expect(isDatedType(9)).toBe(true);
  expect(isDatedType(1)).toBe(false);
});
