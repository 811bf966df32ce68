import { type ReadUsage, tokensMax, type Usage } from "#canonical/usage.ts";
import type { JsonObject } from "#base/json.ts";
import { numberOf, objectOf } from "#formats/shared/read-json.ts";
import { openTokenCounts, reportOf } from "#formats/shared/token-counts.ts";
import { withCost } from "#formats/shared/usage/reported-cost.ts";

/** Seconds of sound are billed as this many tokens a minute. */
const tokensPerMinute = 1_000;

/** Returns the tokens that are billed for seconds of sound, of which each that has begun counts. */
export function tokensOfSeconds(seconds: number): number {
  return Math.round((Math.ceil(seconds) / 60) * tokensPerMinute);
}

/**
 * Reads the usage of pictures, sound, rerank and moderations. The shapes that were seen:
 *
 *   {input_tokens,output_tokens,input_tokens_details{text_tokens,image_tokens}, …}   pictures
 *   {type:"tokens",input_tokens,input_token_details{audio_tokens}, …}                sound
 *   {type:"duration",seconds}, or the seconds alone                                  sound
 *   {prompt_tokens,completion_tokens,total_tokens,prompt_tokens_details}             Mistral
 *   {total_tokens}                                                                   rerank
 *   {tokens:{input_tokens}}, {billed_units:{search_units}}                           rerank
 */
export function readMediaUsage(raw: unknown): ReadUsage {
  return withCost(readTokens(raw), raw);
}

function readTokens(raw: unknown): ReadUsage {
  if (typeof raw === "number") return ofSeconds(raw);
  const report = reportOf(raw);
  if (report === undefined) return { kind: "missing" };
  if (report["type"] === "duration") return ofSeconds(numberOf(report["seconds"]));
  const usage = report["tokens"] === undefined ? report : objectOf(report["tokens"]);
  return ofTokens(usage);
}

function ofSeconds(seconds: number | null): ReadUsage {
  const input = seconds === null ? -1 : tokensOfSeconds(seconds);
  if (input < 0 || input > tokensMax) return { kind: "suspect", reason: `seconds are ${seconds}` };
  if (input === 0) return { kind: "zero" };
  return ok({ ...none, input }, false);
}

const none: Usage = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  inputAudio: 0,
  inputImage: 0,
  output: 0,
  reasoning: 0,
  outputAudio: 0,
  outputImage: 0,
};

function ofTokens(usage: JsonObject): ReadUsage {
  const { count, wrong } = openTokenCounts();
  const inner = (names: readonly string[], name: string): number => {
    for (const each of names) {
      const found = count(objectOf(usage[each]), name);
      if (found !== undefined) return found;
    }
    return 0;
  };
  const total = count(usage, "total_tokens");
  const completion = count(usage, "output_tokens") ?? count(usage, "completion_tokens");
  const given = count(usage, "input_tokens") ?? count(usage, "prompt_tokens");
  const audioIn = inner(inputDetails, "audio_tokens");
  const imageIn = inner(inputDetails, "image_tokens");
  const cached = inner(inputDetails, "cached_tokens");
  const audioOut = inner(outputDetails, "audio_tokens");
  const imageOut = inner(outputDetails, "image_tokens");
  if (wrong() !== "") return { kind: "suspect", reason: wrong() };
  // Rerank servers report a total alone, which then is the input.
  let prompt = given ?? (completion === undefined ? total : undefined);
  if (prompt === undefined) return { kind: "missing" };
  // Mistral leaves sound out of the prompt.
  const isAudioBeside = audioIn > 0 && total === prompt + (completion ?? 0) + audioIn;
  if (isAudioBeside) prompt += audioIn;
  // Where the output is not told, it is the rest of the total.
  const output = completion ?? Math.max(0, (total ?? 0) - prompt);
  if (prompt + output === 0) return { kind: "zero" };
  if (cached + audioIn + imageIn > prompt) {
    return { kind: "suspect", reason: `details are more than the input of ${prompt}` };
  }
  if (audioOut + imageOut > output) {
    return { kind: "suspect", reason: `details are more than the output of ${output}` };
  }
  const counts = {
    ...none,
    input: prompt - cached - audioIn - imageIn,
    cacheRead: cached,
    inputAudio: audioIn,
    inputImage: imageIn,
    output: output - audioOut - imageOut,
    outputAudio: audioOut,
    outputImage: imageOut,
  };
  const told = ok(counts, total !== undefined && total !== prompt + output);
  return prompt === 0 ? { ...told, untold: "prompt" } : told;
}

const inputDetails = ["input_tokens_details", "input_token_details", "prompt_tokens_details"];
const outputDetails = [
  "output_tokens_details",
  "output_token_details",
  "completion_tokens_details",
];

function ok(usage: Usage, totalDiffers: boolean): Extract<ReadUsage, { kind: "ok" }> {
  return { kind: "ok", usage, totalDiffers, contradiction: "" };
}
