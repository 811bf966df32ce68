import type { ReadUsage } from "#canonical/usage.ts";
import { objectOf } from "#formats/shared/read-json.ts";
import { openTokenCounts, readCounts, reportOf } from "#formats/shared/token-counts.ts";
import { withCost } from "#formats/shared/usage/reported-cost.ts";

/** Reads the usage of a Responses answer, whose details are parts of the counts above them. */
export function readUsage(raw: unknown): ReadUsage {
  return withCost(readTokens(raw), raw);
}

function readTokens(raw: unknown): ReadUsage {
  const usage = reportOf(raw);
  if (usage === undefined) return { kind: "missing" };
  const { count, wrong } = openTokenCounts();
  const inputs = objectOf(usage["input_tokens_details"]);
  const outputs = objectOf(usage["output_tokens_details"]);
  const found = {
    input: count(usage, "input_tokens"),
    output: count(usage, "output_tokens"),
    total: count(usage, "total_tokens"),
    cacheRead: count(inputs, "cached_tokens"),
    cacheWrite5m: count(inputs, "cache_write_tokens"),
    inputAudio: count(inputs, "audio_tokens"),
    inputImage: count(inputs, "image_tokens"),
    reasoning: count(outputs, "reasoning_tokens"),
    outputAudio: count(outputs, "audio_tokens"),
  };
  return readCounts(found, wrong());
}
