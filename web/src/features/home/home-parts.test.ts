import { expect, test } from "bun:test";
import { chargeFormula } from "#widgets/money/charge-formula.ts";
import { type ModelPrice, modelPrices } from "#widgets/money/model-prices.ts";
import { showSixDigits } from "./passed-call.ts";
import { recordedCalls, recordingIn } from "./recording.ts";
import { firstChatModel, shelfOf } from "./shelf.ts";
import { showSnippet } from "./snippets.ts";
import { laneOf } from "./use-lane.ts";
import type { Trial } from "./use-trial.ts";

test("every recorded charge is what the formula gives", () => {
  const calls = [...recordedCalls, recordingIn("en").call, recordingIn("zh").call];
  expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
  for (const { model, group, charge, quota: charged } of calls) {
    if (!charge?.usage || !charge.prices) throw new Error(`${model} has no charge`);
    const { usage, prices } = charge;
    const parts = { model, group, usage, prices, charged, writeOff: 0, isKept: true };
    expect([model, chargeFormula(parts)?.due]).toEqual([model, charged]);
  }
});

test("a charge has six digits after the point", () => {
  expect(showSixDigits(86, 500_000)).toBe("$0.000172");
  expect(showSixDigits(1_234_567, 500_000)).toBe("$2.469134");
});

test("a question cannot break out of the code", () => {
  const snippet = { origin: "https://x.test", key: "sk-…", model: "m", question: `it's "so" \\n` };
  const curl = showSnippet("curl", snippet);
  expect(curl).toContain(`it'\\''s \\"so\\"`);
  for (const language of ["python", "javascript"] as const) {
    expect(showSnippet(language, snippet)).toContain(JSON.stringify(snippet.question));
  }
});

const idle: Trial = {
  state: "idle",
  turn: 0,
  text: "",
  pieces: 0,
  tookMs: 0,
  call: null,
  lastCall: null,
  fault: null,
};

test("a call keeps its place in the lane while it passes, when it is charged, and in the log", () => {
  const [a, b, own] = recordedCalls;
  if (a === undefined || b === undefined || own === undefined) throw new Error("no recording");
  const keysOf = (calls: readonly (typeof a)[], trial: Trial) =>
    laneOf(calls, trial).map(({ key }) => key);
  const trial = { ...idle, turn: 1 };
  expect(keysOf([a, b], { ...trial, state: "running" })).toEqual(["trial-1", a.id, b.id]);
  const done: Trial = { ...trial, state: "done", call: own, lastCall: own };
  expect(keysOf([a, b], done)).toEqual(["trial-1", a.id, b.id]);
  expect(keysOf([a, own, b], done)).toEqual([a.id, "trial-1", b.id]);
  expect(keysOf([a, b], { ...trial, state: "failed" })).toEqual([a.id, b.id]);
});

function priced(model: string, isCallable = true): ModelPrice {
  const row = { model_name: "any", quota_type: 0, model_ratio: 1, model_price: 0 } as const;
  const groups = { enable_groups: ["default"], owner_by: "", completion_ratio: 2 };
  const ratios = { default: 1, other: 1 };
  const pricing = { rows: [{ ...row, ...groups }], groupRatios: ratios, groups: {}, unpriced: [] };
  const [made] = modelPrices(pricing, isCallable ? "default" : "other", 500_000);
  if (made === undefined) throw new Error("no price");
  return { ...made, model };
}

test("the shelf shows a few models of each brand that can be called, popular brands first", () => {
  const many = ["gpt-4", "gpt-4o", "gpt-5", "gpt-5-mini", "o3"].map((model) => priced(model));
  const shelf = shelfOf([
    priced("mine-1"),
    priced("claude-sonnet-4-5"),
    ...many,
    priced("grok-4", false),
  ]);
  expect(shelf.map(({ brand, models, more }) => [brand?.id, models.length, more])).toEqual([
    ["openai", 4, 1],
    ["anthropic", 1, 0],
    [undefined, 1, 0],
  ]);
  expect(shelfOf(many)[0]?.models).toHaveLength(5);
});

test("the example calls a chat model", () => {
  const models = ["demo-error", "gpt-image-1", "text-embedding-3-small", "whisper-1"];
  expect(firstChatModel(models.map((model) => priced(model)))).toBeUndefined();
  expect(firstChatModel([priced("dall-e-3"), priced("my-chat")])?.model).toBe("my-chat");
});
