/** T34: OpenAI's models that think take other parameters than those that do not. */

import { expect, test } from "bun:test";
import { type CanonicalRequest, defaultSampling, noHints, textPart } from "#canonical/request.ts";
import { translations } from "./translation-registry.ts";

const asked: CanonicalRequest = {
  model: "gpt-5",
  items: [{ type: "message", role: "user", parts: [textPart("hi")] }],
  tools: [],
  toolChoice: null,
  parallelToolCalls: null,
  limits: { maxOutputTokens: 99, stopSequences: [], count: 1 },
  sampling: { ...defaultSampling, temperature: 0, topP: 0.9 },
  reasoning: null,
  output: null,
  media: null,
  hints: noHints,
  stream: false,
};

type Effort = NonNullable<CanonicalRequest["reasoning"]>["effort"];

/** Returns the parameters that the upstream gets, and what is named as lost. */
function sent(format: "openai-chat" | "openai-responses", model: string, effort: Effort) {
  const reasoning = effort === null ? null : { effort, budgetTokens: null, visible: false };
  const written = translations[format].upstream.writeRequest({ ...asked, model, reasoning }, {});
  if ("message" in written) throw new Error(written.message);
  const { temperature, top_p, max_tokens, max_completion_tokens } = written.body;
  return { temperature, top_p, max_tokens, max_completion_tokens, losses: written.losses };
}

for (const format of ["openai-chat", "openai-responses"] as const) {
  for (const model of ["o3-mini", "gpt-5", "gpt-5-mini", "gpt-5.6-sol", "gpt-5.1-codex"]) {
    test(`T34: ${model} by ${format} gets no temperature, which it would refuse, and the loss is named`, () => {
      const got = sent(format, model, null);

      expect([got.temperature, got.top_p]).toEqual([undefined, undefined]);
      expect(got.losses).toEqual(["temperature", "top_p"]);
    });
  }

  test(`T34: gpt-5.4 by ${format}, which thinks only when asked, keeps the temperature until it is asked`, () => {
    for (const effort of [null, "none"] as const) {
      const got = sent(format, "gpt-5.4-nano", effort);
      expect([got.temperature, got.top_p, got.losses]).toEqual([0, 0.9, []]);
    }
    expect(sent(format, "gpt-5.4-nano", "low").losses).toEqual(["temperature", "top_p"]);
  });
}

test("T34: the output limit of models that think has their name, of others the old one", () => {
  expect(sent("openai-chat", "gpt-5.4", null).max_completion_tokens).toBe(99);
  expect(sent("openai-chat", "gpt-4o", null).max_tokens).toBe(99);
});
