import { type ReadUsage, tokensMax } from "#canonical/usage.ts";
import type { WireUsage } from "#formats/openai-chat/wire.ts";
import { readCounts } from "#formats/shared/token-counts.ts";
import { withCost } from "#formats/shared/usage/reported-cost.ts";

/**
 * Turns a `usage` object into counts that do not overlap. One function reads the objects of all
 * vendors. A vendor that leaves tokens out of a count is recognised by its total, which is larger
 * by exactly these tokens:
 *
 * - xAI leaves reasoning out of `completion_tokens`.
 * - Mistral leaves audio out of `prompt_tokens`.
 * - Gemini leaves reasoning out of `completion_tokens` and does not report it at all.
 */
export function readUsage(raw: unknown): ReadUsage {
  return withCost(readTokens(raw), raw);
}

function readTokens(raw: unknown): ReadUsage {
  if (!isRecord(raw)) return { kind: "missing" };
  const found = readFigures(raw);
  if (typeof found === "string") return readCounts({ input: undefined, output: undefined }, found);
  const { input = 0, inputAudio, output = 0, reasoning, total = 0 } = found;
  // Some embedding servers report only a total, which then is the input.
  if (found.input === undefined && found.output === undefined && total > 0) {
    return readCounts({ ...found, input: total, isTotalAlone: true }, "");
  }
  const surplus = total - input - output;
  if (input > 0 && surplus > 0 && surplus === inputAudio) {
    return readCounts({ ...found, input: input + surplus }, "");
  }
  // No part is larger than its whole, so the whole is without it.
  if (total === 0 && found.output !== undefined && reasoning > output) {
    const contradiction = `reasoning ${reasoning} > output ${output}`;
    return readCounts({ ...found, output: output + reasoning, contradiction }, "");
  }
  if (input > 0 && output > 0 && surplus > 0 && isGeminiShape(raw)) {
    return readCounts({ ...found, output: output + surplus, reasoning: surplus }, "");
  }
  return readCounts(found, "");
}

/**
 * Whether usage consists of just the three main counts, as Gemini's OpenAI-compatible API sends it.
 */
function isGeminiShape(raw: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(raw).toSorted().join();
  return names === "completion_tokens,prompt_tokens,total_tokens";
}

type Figures = {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly total: number | undefined;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly inputAudio: number;
  readonly inputImage: number;
  readonly reasoning: number;
  readonly outputAudio: number;
  readonly outputImage: number;
  readonly searches: number;
};

type Raw = Readonly<Record<string, unknown>>;

/** The first invalid count of the usage object that is being read; empty: there is none. */
let wrong = "";

/** Reads all counts as sent. A string describes the first invalid count. */
function readFigures(raw: Raw): Figures | string {
  wrong = "";
  // The vendor Writer spells this key in the singular: `prompt_token_details`.
  const inputs = raw["prompt_tokens_details"] ?? raw["prompt_token_details"];
  const outputs = raw["completion_tokens_details"] ?? raw["completion_token_details"];
  const hit = count(raw, "prompt_cache_hit_tokens");
  const miss = count(raw, "prompt_cache_miss_tokens");
  const prompt = count(raw, "prompt_tokens");
  const figures: Figures = {
    input: hit === undefined ? prompt : prompt || hit + (miss ?? 0),
    output: count(raw, "completion_tokens"),
    total: count(raw, "total_tokens"),
    cacheRead:
      countIn(inputs, "cached_tokens") ??
      hit ??
      count(raw, "cached_tokens") ??
      count(raw, "num_cached_tokens") ??
      0,
    cacheWrite5m: countIn(inputs, "cache_write_tokens") ?? 0,
    inputAudio: countIn(inputs, "audio_tokens") ?? 0,
    inputImage: countIn(inputs, "image_tokens") ?? 0,
    reasoning: countIn(outputs, "reasoning_tokens") ?? count(raw, "reasoning_tokens") ?? 0,
    outputAudio: countIn(outputs, "audio_tokens") ?? 0,
    outputImage: countIn(outputs, "image_tokens") ?? 0,
    searches: searchesIn(raw),
  };
  return wrong === "" ? figures : wrong;
}

/** Reads the searches as OpenRouter, Anthropic, Perplexity and xAI count them. */
function searchesIn(raw: Raw): number {
  return (
    countIn(raw["server_tool_use_details"], "web_search_requests") ??
    countIn(raw["server_tool_use"], "web_search_requests") ??
    count(raw, "num_search_queries") ??
    count(raw, "num_sources_used") ??
    0
  );
}

function count(raw: Raw, name: keyof WireUsage): number | undefined {
  return countIn(raw, name);
}

function countIn(from: unknown, name: string): number | undefined {
  const value = isRecord(from) ? from[name] : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= tokensMax) {
    return value;
  }
  wrong ||= `${name} is ${String(JSON.stringify(value)).slice(0, 40)}`;
  return undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
