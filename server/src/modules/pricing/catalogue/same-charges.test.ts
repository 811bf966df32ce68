/**
 * What calls are charged by prices of the catalogue is what its source computes itself, to one unit,
 * in the kinds of tokens that the source knows. Its counts contain one another and ours do not, and
 * it computes in floating point.
 */

import { calcPrice } from "@pydantic/genai-prices";
import { charge, type ChargedUsage, noUsage, unitPrice } from "@tollgate/contract/money/charge.ts";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import { writePriceBook } from "@tollgate/contract/money/price-book-writer.ts";
import { minuteOf } from "@tollgate/contract/money/price-terms.ts";
import { expect, test } from "bun:test";
import { catalogueReader } from "./open-catalogue.ts";

const day = "2026-11-29";
const quotaPerUnit = 500_000;
const usagesEach = 300;

const models = [
  "anthropic claude-3-5-haiku-latest",
  "anthropic claude-3-haiku",
  "anthropic claude-haiku-4-5",
  "anthropic claude-opus-4-7",
  "anthropic claude-opus-5-5",
  "anthropic claude-sonnet-4-0",
  "aws amazon.nova-sonic-v1:0",
  "aws global.anthropic.claude-opus-4-6-v1:0",
  "azure o3-2025-04-16",
  "azure text-embedding-3-small",
  "cerebras gpt-oss-120b",
  "cohere command-r",
  "deepseek deepseek-chat",
  "deepseek deepseek-v4-flash",
  "deepseek deepseek-v4-pro",
  "google gemini-2.0-flash",
  "google gemini-2.5-flash",
  "google gemini-2.5-pro",
  "google gemini-3-flash-preview",
  "google gemini-3-pro-preview",
  "google gemini-3.1-flash-live-preview",
  "groq llama-3.3-70b-versatile",
  "mistral mistral-large",
  "moonshotai kimi-k2.6",
  "openai gpt-4.1",
  "openai gpt-4o",
  "openai gpt-4o-audio-preview",
  "openai gpt-4o-mini-realtime-preview",
  "openai gpt-5",
  "openai gpt-5.5",
  "openai gpt-6-sol",
  "openai gpt-image-1.5",
  "openai gpt-realtime-mini",
  "openai o3-mini",
  "openrouter google/gemini-2.5-flash",
  "openrouter anthropic/claude-3.7-sonnet",
  "perplexity sonar-deep-research",
  "perplexity sonar-pro",
  "x-ai grok-4.3",
  "x-ai grok-code-fast-1",
];

type Case = { readonly model: string; readonly usage: ChargedUsage };

/** Where both differ, and why. Every other call is the same. */
const differences: readonly {
  readonly reason: string;
  readonly differs: (of: Case) => boolean;
}[] = [
  {
    reason: "the source charges searches and calls without a token; such calls are free here",
    differs: ({ usage }) => Object.keys(noUsage).every((name) => tokensOf(usage, name) === 0),
  },
  {
    reason: "the source prices no output of models that have none; here it costs what input does",
    differs: ({ model, usage }) =>
      model === "azure text-embedding-3-small" &&
      usage.output + usage.reasoning + usage.outputAudio + usage.outputImage > 0,
  },
  {
    reason: "our own file has the price of sound, which the source counts as text",
    differs: ({ model, usage }) =>
      model === "openai gpt-4o-audio-preview" && usage.inputAudio + usage.outputAudio > 0,
  },
  {
    reason:
      "without a price of cached input, the source charges cached sound and pictures like new",
    differs: ({ model, usage: { cacheAudio = 0, cacheImage = 0 } }) =>
      uncached.has(model) && cacheAudio + cacheImage > 0,
  },
  {
    reason:
      "without a price of writes for an hour, the source charges them like those for 5 minutes; " +
      "here they cost twice the input, as everybody who sells them asks",
    differs: ({ model, usage }) => shortWrites.has(model) && usage.cacheWrite1h > 0,
  },
  {
    reason: "our own file has a newer price",
    differs: ({ model }) => model === "deepseek deepseek-chat",
  },
];

/** Models with a price of writes to a cache for 5 minutes, and none of those for an hour. */
const shortWrites: ReadonlySet<string> = new Set([
  "aws global.anthropic.claude-opus-4-6-v1:0",
  "openai gpt-6-sol",
  "openrouter anthropic/claude-3.7-sonnet",
  "openrouter google/gemini-2.5-flash",
]);

/** Models with prices of sound or pictures, and none of cached input. */
const uncached: ReadonlySet<string> = new Set([
  "aws amazon.nova-sonic-v1:0",
  "google gemini-3.1-flash-live-preview",
]);

function tokensOf(usage: ChargedUsage, name: string): number {
  const count: unknown = Object.entries(usage).find(([key]) => key === name)?.[1];
  return typeof count === "number" ? count : 0;
}

/** Returns whole numbers below a limit, the same ones in each run. */
function openRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const random = openRandom(20_261_129);

/** About half of the kinds of tokens, of prompts that are short or long. */
function anyUsage(minute: number): ChargedUsage {
  const most = [100, 20_000, 300_000][random(3)] ?? 0;
  const some = (below: number): number => (random(2) === 0 ? 0 : random(below + 1));
  const cacheRead = some(most);
  const cacheAudio = some(cacheRead);
  return {
    input: some(most),
    cacheRead,
    cacheAudio,
    cacheImage: some(cacheRead - cacheAudio),
    cacheWrite5m: some(most),
    cacheWrite1h: some(most),
    inputAudio: some(most),
    inputImage: some(most),
    output: some(most),
    reasoning: some(most),
    outputAudio: some(most),
    outputImage: some(most),
    searches: some(9),
    minute,
  };
}

/** The same usage in the words of the source, whose counts are parts of one another. */
function inItsWords(usage: ChargedUsage): Record<string, number> {
  const { cacheAudio = 0, cacheImage = 0, searches = 0 } = usage;
  const written = usage.cacheWrite5m + usage.cacheWrite1h;
  const { input, cacheRead, inputAudio, inputImage } = usage;
  return {
    input_tokens: input + cacheRead + written + inputAudio + inputImage,
    cache_read_tokens: cacheRead,
    cache_audio_read_tokens: cacheAudio,
    cache_image_read_tokens: cacheImage,
    cache_write_tokens: written,
    cache_write_5m_tokens: usage.cacheWrite5m,
    cache_write_1h_tokens: usage.cacheWrite1h,
    input_audio_tokens: inputAudio + cacheAudio,
    input_image_tokens: inputImage + cacheImage,
    output_tokens: usage.output + usage.reasoning + usage.outputAudio + usage.outputImage,
    output_reasoning_tokens: usage.reasoning,
    output_audio_tokens: usage.outputAudio,
    output_image_tokens: usage.outputImage,
    web_searches: searches,
  };
}

const catalogue = await catalogueReader("", { error: () => {} })();

test("T33: 40 models × 300 usages are charged as the source of the catalogue computes them", () => {
  const wrong: unknown[] = [];
  const met = new Set<string>();
  for (const model of models) {
    const [provider = "", ...rest] = model.split(" ");
    const entry = rest.join(" ");
    const found = catalogue.find(provider, entry, day);
    if (found === undefined) throw new Error(`the catalogue has no ${model}`);
    const { list, refused } = writePriceBook(defaultPriceList, [[model, found.prices]]);
    const price = unitPrice(list, model, "default");
    if (price === undefined) throw new Error(`no price of ${model}: ${refused.get(model)}`);
    for (let call = 0; call < usagesEach; call += 1) {
      const timestamp = new Date(`${day}T00:00:00Z`);
      timestamp.setUTCMinutes(random(1_440));
      const usage = anyUsage(minuteOf(timestamp.getTime()));
      const its = calcPrice(inItsWords(usage), entry, { providerId: provider, timestamp });
      if (its === null) throw new Error(`the source has no ${model}`);
      const charged = charge(price, usage);
      const isSame = Math.abs(charged - its.total_price * quotaPerUnit) <= 1;
      const listed = differences.filter(({ differs }) => differs({ model, usage }));
      if (!isSame && listed.length === 0) {
        wrong.push({ model, usage, charged, its: its.total_price * quotaPerUnit });
      }
      if (!isSame) for (const { reason } of listed) met.add(reason);
    }
  }
  expect(wrong.slice(0, 3)).toEqual([]);
  expect(new Set(models).size).toBe(40);
  // A reason that explains nothing any more is removed.
  expect([...met].toSorted()).toEqual(differences.map(({ reason }) => reason).toSorted());
}, 60_000);
