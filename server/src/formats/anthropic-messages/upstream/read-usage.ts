import type { ReadUsage } from "#canonical/usage.ts";
import { objectOf } from "#formats/shared/read-json.ts";
import { openTokenCounts, reportOf } from "#formats/shared/token-counts.ts";
import type { Json, JsonObject } from "#base/json.ts";

/**
 * Reads the usage of a Messages answer. A stream reports it at its start and at its end: the later
 * figure wins, but a missing one does not erase the earlier. Input that was read from or written to
 * the cache is not part of `input_tokens`.
 */
export function readUsage(last: unknown, first: unknown): ReadUsage {
  const usage = mergeUsage(reportOf(first), reportOf(last));
  if (usage === undefined) return { kind: "missing" };
  const { count, wrong } = openTokenCounts();
  const created = objectOf(usage["cache_creation"]);
  const cacheWrite1h = count(created, "ephemeral_1h_input_tokens") ?? 0;
  const written = count(usage, "cache_creation_input_tokens");
  const cacheWrite5m =
    written === undefined
      ? (count(created, "ephemeral_5m_input_tokens") ?? 0)
      : Math.max(0, written - cacheWrite1h);
  const input = count(usage, "input_tokens");
  const cacheRead = count(usage, "cache_read_input_tokens") ?? 0;
  const output = count(usage, "output_tokens") ?? 0;
  const thinking = count(objectOf(usage["output_tokens_details"]), "thinking_tokens") ?? 0;
  if (wrong() !== "") return { kind: "suspect", reason: wrong() };
  if (input === undefined && written === undefined && output === 0) return { kind: "missing" };
  const sum = (input ?? 0) + cacheRead + cacheWrite5m + cacheWrite1h + output;
  if (sum === 0) return { kind: "zero" };
  const reasoning = Math.min(thinking, output);
  return {
    kind: "ok",
    usage: {
      input: input ?? 0,
      cacheRead,
      cacheWrite5m,
      cacheWrite1h,
      inputAudio: 0,
      inputImage: 0,
      output: output - reasoning,
      reasoning,
      outputAudio: 0,
      outputImage: 0,
    },
    totalDiffers: false,
    contradiction: thinking > output ? `thinking ${thinking} > output ${output}` : "",
  };
}

/** Puts two usage objects together: the later figures win unless they are missing or null. */
export function mergeUsage(
  first: JsonObject | undefined,
  last: JsonObject | undefined,
): JsonObject | undefined {
  if (first === undefined || last === undefined) return last ?? first;
  const merged: Record<string, Json> = { ...first };
  for (const [name, value] of Object.entries(last)) if (value !== null) merged[name] = value;
  return merged;
}
