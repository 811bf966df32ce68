/** No upstream is asked for more output than the client allows, however much the model is to think. */

import { expect, test } from "bun:test";
import {
  type CanonicalRequest,
  defaultSampling,
  efforts,
  noHints,
  type Reasoning,
  textPart,
} from "#canonical/request.ts";
import type { Quirks } from "./translation.ts";
import { type TranslatedFormatId, translations } from "./translation-registry.ts";

const request: CanonicalRequest = {
  model: "claude-3-7-sonnet",
  items: [{ type: "message", role: "user", parts: [textPart("hi")] }],
  tools: [],
  toolChoice: null,
  parallelToolCalls: null,
  limits: { maxOutputTokens: null, stopSequences: [], count: 1 },
  sampling: defaultSampling,
  reasoning: null,
  output: null,
  media: null,
  hints: noHints,
  stream: true,
};

const reasonings: readonly Reasoning[] = [
  ...efforts.map((effort) => ({ effort, budgetTokens: null, visible: null })),
  ...[500, 4_000, 40_000].map((budgetTokens) => ({
    effort: null,
    budgetTokens,
    visible: null,
  })),
];

const models = ["claude-3-7-sonnet", "claude-opus-4-6", "gpt-5", "gemini-2.5-pro"];
const thinkingSwitches: readonly Quirks[] = [
  {},
  { thinkingSwitch: "enable_thinking" },
  { thinkingSwitch: "reasoning" },
  { thinkingSwitch: "thinking" },
];

// Safe cast: these are the keys of the table.
for (const id of Object.keys(translations) as TranslatedFormatId[]) {
  test(`${id}: the output limit of a client holds whatever effort it asks for`, () => {
    const { upstream } = translations[id];
    const raised: object[] = [];
    for (const model of models) {
      for (const maxOutputTokens of [50, 1_025, 5_000]) {
        for (const reasoning of reasonings) {
          for (const quirks of thinkingSwitches) {
            const limits = { ...request.limits, maxOutputTokens };
            const asked = { ...request, model, limits, reasoning };
            const written = upstream.writeRequest(asked, quirks);
            if ("message" in written) continue;
            const bytes = Buffer.from(JSON.stringify(written.body));
            const path = { modality: "chat", model, stream: true } as const;
            const read = upstream.requests.readRequest(bytes, path);
            const sent = "message" in read ? null : read.maxTokens;
            const budget = budgetIn(JSON.stringify(written.body));
            const isRaised = (sent ?? 0) > maxOutputTokens || budget > maxOutputTokens;
            if (isRaised) raised.push({ model, maxOutputTokens, reasoning, sent, budget });
          }
        }
      }
    }
    expect(raised).toEqual([]);
  });
}

/** Returns the number of tokens for reasoning that a request names where it is an addition. */
function budgetIn(body: string): number {
  const found = /"(?:budget_tokens|thinking_budget)":(\d+)/.exec(body);
  return Number(found?.[1] ?? 0);
}

/** Requests of Claude with 50 tokens, and with room for some reasoning. */
const cases = [
  [50, "high", { max_tokens: 50, thinking: undefined }, ["reasoning"]],
  [1_024, "low", { max_tokens: 1_024, thinking: undefined }, ["reasoning"]],
  [1_500, "high", { max_tokens: 1_500, thinking: enabled(1_024) }, []],
  [8_000, "high", { max_tokens: 8_000, thinking: enabled(6_976) }, []],
  [64_000, "high", { max_tokens: 64_000, thinking: enabled(16_384) }, []],
] as const;

function enabled(budget_tokens: number) {
  return { type: "enabled", budget_tokens };
}

test("effort gives way to the limit: the budget is lowered, or the effort is named as lost", () => {
  for (const [maxOutputTokens, effort, fields, losses] of cases) {
    const limits = { ...request.limits, maxOutputTokens };
    const reasoning = { effort, budgetTokens: null, visible: null };
    const written = translations["anthropic-messages"].upstream.writeRequest(
      { ...request, limits, reasoning },
      {},
    );
    expect(written).toMatchObject({ losses });
    const { max_tokens, thinking } = "body" in written ? written.body : {};
    expect({ max_tokens, thinking }).toEqual(fields);
  }
});

test("a budget that the client has set below its own limit stays", () => {
  const limits = { ...request.limits, maxOutputTokens: 3_000 };
  const reasoning = { effort: null, budgetTokens: 2_500, visible: null };
  const written = translations["anthropic-messages"].upstream.writeRequest(
    { ...request, limits, reasoning },
    {},
  );
  expect(written).toMatchObject({ body: { max_tokens: 3_000, thinking: enabled(2_500) } });
});

test("a limit below the smallest of the format is named as lost", () => {
  const limits = { ...request.limits, maxOutputTokens: 5 };
  const written = translations["openai-responses"].upstream.writeRequest(
    { ...request, limits },
    {},
  );
  expect(written).toMatchObject({ body: { max_output_tokens: 16 }, losses: ["max_tokens"] });
});

/** Requests of Google's models, whose thoughts are a part of the limit. */
const ofGoogle = [
  ["gemini-2.5-flash", 50, "high", 0, ["reasoning"]],
  ["gemini-2.5-flash", 8_000, "high", 6_976, []],
  ["gemini-2.5-flash", null, "high", 16_384, []],
  ["gemini-2.5-flash", null, "none", 0, []],
  ["gemini-2.5-pro", 50, "high", 128, ["reasoning"]],
  ["gemini-2.5-pro", null, "none", 128, ["reasoning"]],
  ["gemini-2.0-flash", null, "high", undefined, ["reasoning"]],
  ["gemini-2.0-flash", null, "none", undefined, []],
] as const;

test("thoughts leave room for the answer at Google, and an effort that its model has not is named", () => {
  for (const [model, maxOutputTokens, effort, thinkingBudget, losses] of ofGoogle) {
    const limits = { ...request.limits, maxOutputTokens };
    const reasoning = { effort, budgetTokens: null, visible: null };
    const asked = { ...request, model, limits, reasoning };
    const written = translations["gemini-generate"].upstream.writeRequest(asked, {});
    expect([model, written]).toMatchObject([model, { losses }]);
    const text = JSON.stringify("body" in written ? written.body : {});
    const sent = /"thinkingBudget":(\d+)/.exec(text)?.[1];
    expect([model, effort, sent === undefined ? undefined : Number(sent)]).toEqual([
      model,
      effort,
      thinkingBudget,
    ]);
  }
});
