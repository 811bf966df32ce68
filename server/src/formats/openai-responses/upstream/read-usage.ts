import type { ReadUsage } from "#canonical/usage.ts";
import { objectOf } from "#formats/shared/read-json.ts";
import { openTokenCounts, reportOf } from "#formats/shared/token-counts.ts";

/** Reads the usage of a Responses answer, whose details are parts of the counts above them. */
export function readUsage(raw: unknown): ReadUsage {
  const usage = reportOf(raw);
  if (usage === undefined) return { kind: "missing" };
  const { count, wrong } = openTokenCounts();
  const input = count(usage, "input_tokens");
  const output = count(usage, "output_tokens") ?? 0;
  const total = count(usage, "total_tokens");
  const inputs = objectOf(usage["input_tokens_details"]);
  const outputs = objectOf(usage["output_tokens_details"]);
  const cacheRead = count(inputs, "cached_tokens") ?? 0;
  const written = count(inputs, "cache_write_tokens") ?? 0;
  const inputAudio = count(inputs, "audio_tokens") ?? 0;
  const inputImage = count(inputs, "image_tokens") ?? 0;
  const thinking = count(outputs, "reasoning_tokens") ?? 0;
  const outputAudio = count(outputs, "audio_tokens") ?? 0;
  if (wrong() !== "") return { kind: "suspect", reason: wrong() };
  if (input === undefined) return { kind: "missing" };
  if (input === 0 && output === 0) return { kind: "zero" };
  if (cacheRead > input) {
    return { kind: "suspect", reason: `cached ${cacheRead} > input ${input}` };
  }
  let plain = input - cacheRead;
  const cacheWrite5m = Math.min(written, plain);
  plain -= cacheWrite5m;
  const audio = Math.min(inputAudio, plain);
  plain -= audio;
  const image = Math.min(inputImage, plain);
  plain -= image;
  const reasoning = Math.min(thinking, output);
  const spoken = Math.min(outputAudio, output - reasoning);
  return {
    kind: "ok",
    usage: {
      input: plain,
      cacheRead,
      cacheWrite5m,
      cacheWrite1h: 0,
      inputAudio: audio,
      inputImage: image,
      output: output - reasoning - spoken,
      reasoning,
      outputAudio: spoken,
      outputImage: 0,
    },
    totalDiffers: total !== undefined && total !== input + output,
    contradiction: thinking > output ? `reasoning ${thinking} > output ${output}` : "",
  };
}
