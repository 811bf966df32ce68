/** T25: a service tier goes to upstreams that have a word for it; elsewhere it is named as lost. */

import { expect, test } from "bun:test";
import type { Json } from "#base/json.ts";
import { type CanonicalRequest, defaultSampling, noHints, textPart } from "#canonical/request.ts";
import { type TranslatedFormatId, translations } from "./translation-registry.ts";

const asked: CanonicalRequest = {
  model: "claude-sonnet-4-5",
  items: [{ type: "message", role: "user", parts: [textPart("hi")] }],
  tools: [],
  toolChoice: null,
  parallelToolCalls: null,
  limits: { maxOutputTokens: 99, stopSequences: [], count: 1 },
  sampling: defaultSampling,
  reasoning: null,
  output: null,
  media: null,
  hints: noHints,
  stream: false,
};

/** Returns the tier that an upstream is asked for, and what is named as lost. */
function sent(format: TranslatedFormatId, serviceTier: string) {
  const { upstream } = translations[format];
  const hints = { ...noHints, serviceTier };
  const written = upstream.writeRequest({ ...asked, hints }, {});
  if ("message" in written) throw new Error(written.message);
  const { service_tier, serviceTier: camel, speed } = written.body;
  const bytes = new TextEncoder().encode(JSON.stringify(written.body));
  const path = { modality: "chat", model: "m" } as const;
  const read = upstream.requests.readRequest(bytes, path);
  return {
    word: service_tier ?? camel ?? speed,
    losses: written.losses,
    tier: "message" in read ? read.message : read.tier,
  };
}

test.each<[TranslatedFormatId, string, Json | undefined, string | undefined, readonly string[]]>([
  ["openai-chat", "", undefined, "auto", []],
  ["openai-chat", "priority", "priority", "priority", []],
  ["openai-chat", "default", "default", "default", []],
  ["openai-chat", "performance", "performance", "auto", []],
  ["openai-chat", "fast", undefined, "auto", ["speed"]],
  ["openai-responses", "flex", "flex", "flex", []],
  ["openai-responses", "fast", undefined, "auto", ["speed"]],
  ["anthropic-messages", "default", "standard_only", "default", []],
  ["anthropic-messages", "priority", undefined, "auto", ["service_tier"]],
  ["anthropic-messages", "auto", undefined, "auto", []],
  ["gemini-generate", "priority", "priority", "priority", []],
  ["gemini-generate", "flex", "flex", "flex", []],
  ["gemini-generate", "default", undefined, "auto", []],
  ["gemini-generate", "scale", undefined, "auto", ["service_tier"]],
  ["bedrock-converse", "flex", { type: "flex" }, "flex", []],
  ["bedrock-converse", "fast", undefined, "auto", ["speed"]],
  ["bedrock-invoke", "priority", undefined, "default", ["service_tier"]],
  ["bedrock-invoke", "default", undefined, "default", []],
  ["cohere-v2", "priority", undefined, "default", ["service_tier"]],
  ["ollama", "", undefined, "default", []],
])("%s, asked for %j, is sent %j", (format, serviceTier, word, tier, losses) => {
  expect(sent(format, serviceTier)).toEqual({ word, losses, tier });
});
