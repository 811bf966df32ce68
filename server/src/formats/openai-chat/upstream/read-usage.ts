import { type ReadUsage, tokensMax, type Usage } from "#canonical/usage.ts";
import type { WireUsage } from "#formats/openai-chat/wire.ts";

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
  if (!isRecord(raw)) return { kind: "missing" };
  const figures = readFigures(raw);
  if (typeof figures === "string") return { kind: "suspect", reason: figures };
  const { total, cacheRead, inputAudio, reasoning } = figures;
  // Some embedding servers report only a total, which then is the input.
  const prompt = figures.prompt ?? (figures.completion === undefined ? total : undefined);
  if (prompt === undefined) return { kind: "missing" };
  const completion = figures.completion ?? 0;
  if (prompt === 0 && completion === 0) return { kind: "zero" };

  let input = prompt;
  let output = completion;
  let thinking = reasoning;
  const surplus = (total ?? prompt + completion) - prompt - completion;
  if (surplus > 0 && surplus === inputAudio) input += surplus;
  else if (surplus > 0 && surplus === reasoning) output += surplus;
  else if (total === undefined && reasoning > completion) output += reasoning;
  else if (surplus > 0 && isGeminiShape(raw)) {
    output += surplus;
    thinking = surplus;
  }

  if (cacheRead > input) {
    return { kind: "suspect", reason: `cached ${cacheRead} > prompt ${input}` };
  }
  return {
    kind: "ok",
    usage: split(input, output, thinking, figures),
    totalDiffers: total !== undefined && total !== input + output,
    contradiction: thinking > output ? `reasoning ${thinking} > completion ${output}` : "",
  };
}

/**
 * Splits input and output tokens by kind. A token of several kinds counts as the first of these: read from
 * the cache, written to the cache, audio, image. So cached audio counts as cached, and a token that
 * was both written and read in one call (Gemini at OpenRouter) as read.
 */
function split(allInput: number, allOutput: number, thinking: number, figures: Figures): Usage {
  const { cacheRead } = figures;
  let input = allInput - cacheRead;
  const cacheWrite5m = Math.min(figures.cacheWrite, input);
  input -= cacheWrite5m;
  const inputAudio = Math.min(figures.inputAudio, input);
  input -= inputAudio;
  const inputImage = Math.min(figures.inputImage, input);
  input -= inputImage;
  const reasoning = Math.min(thinking, allOutput);
  let output = allOutput - reasoning;
  const outputAudio = Math.min(figures.outputAudio, output);
  output -= outputAudio;
  const outputImage = Math.min(figures.outputImage, output);
  output -= outputImage;
  return {
    input,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: 0,
    inputAudio,
    inputImage,
    output,
    reasoning,
    outputAudio,
    outputImage,
  };
}

/**
 * Whether usage consists of just the three main counts, as Gemini's OpenAI-compatible API sends it.
 */
function isGeminiShape(raw: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(raw).toSorted().join();
  return names === "completion_tokens,prompt_tokens,total_tokens";
}

type Figures = {
  readonly prompt: number | undefined;
  readonly completion: number | undefined;
  readonly total: number | undefined;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly inputAudio: number;
  readonly inputImage: number;
  readonly reasoning: number;
  readonly outputAudio: number;
  readonly outputImage: number;
};

type Raw = Readonly<Record<string, unknown>>;

/** The first invalid count of the usage object that is being read; empty: there is none. */
let wrong = "";

/** Reads all counts as sent. A string describes the first invalid count. */
function readFigures(raw: Raw): Figures | string {
  wrong = "";
  // The vendor Writer spells this key in the singular: `prompt_token_details`.
  const input = raw["prompt_tokens_details"] ?? raw["prompt_token_details"];
  const output = raw["completion_tokens_details"] ?? raw["completion_token_details"];
  const hit = count(raw, "prompt_cache_hit_tokens");
  const miss = count(raw, "prompt_cache_miss_tokens");
  const figures: Figures = {
    prompt: count(raw, "prompt_tokens") ?? (hit === undefined ? undefined : hit + (miss ?? 0)),
    completion: count(raw, "completion_tokens"),
    total: count(raw, "total_tokens"),
    cacheRead:
      countIn(input, "cached_tokens") ??
      hit ??
      count(raw, "cached_tokens") ??
      count(raw, "num_cached_tokens") ??
      0,
    cacheWrite: countIn(input, "cache_write_tokens") ?? 0,
    inputAudio: countIn(input, "audio_tokens") ?? 0,
    inputImage: countIn(input, "image_tokens") ?? 0,
    reasoning: countIn(output, "reasoning_tokens") ?? count(raw, "reasoning_tokens") ?? 0,
    outputAudio: countIn(output, "audio_tokens") ?? 0,
    outputImage: countIn(output, "image_tokens") ?? 0,
  };
  return wrong === "" ? figures : wrong;
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
