import type { ReadUsage } from "#canonical/usage.ts";
import { objectOf } from "#formats/shared/read-json.ts";
import { openTokenCounts, readCounts, reportOf } from "#formats/shared/token-counts.ts";
import type { Json, JsonObject } from "#base/json.ts";
import { withCost } from "#formats/shared/usage/reported-cost.ts";

/**
 * Reads one usage report of a Messages answer; a stream has one at its start and one at its end.
 * Input that was read from or written to the cache is not part of `input_tokens`.
 */
export function readUsage(raw: unknown): ReadUsage {
  return withCost(readTokens(raw), raw);
}

function readTokens(raw: unknown): ReadUsage {
  const usage = reportOf(raw);
  if (usage === undefined) return { kind: "missing" };
  const { count, wrong } = openTokenCounts();
  const created = objectOf(usage["cache_creation"]);
  const cacheWrite1h = count(created, "ephemeral_1h_input_tokens") ?? 0;
  const written = count(usage, "cache_creation_input_tokens");
  const cacheWrite5m =
    written === undefined
      ? (count(created, "ephemeral_5m_input_tokens") ?? 0)
      : Math.max(0, written - cacheWrite1h);
  const fresh = count(usage, "input_tokens");
  const cacheRead = count(usage, "cache_read_input_tokens") ?? 0;
  const cached = cacheRead + cacheWrite5m + cacheWrite1h;
  const found = {
    input: fresh === undefined && cached === 0 ? undefined : (fresh ?? 0) + cached,
    output: count(usage, "output_tokens"),
    cacheRead,
    cacheWrite5m,
    cacheWrite1h,
    reasoning: count(objectOf(usage["output_tokens_details"]), "thinking_tokens"),
    searches: count(objectOf(usage["server_tool_use"]), "web_search_requests"),
    isCacheBeside: true,
  };
  return readCounts(found, wrong());
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
