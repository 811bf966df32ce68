import type { ReadUsage } from "#canonical/usage.ts";
import { asObject, listOf } from "#formats/shared/read-json.ts";
import { openTokenCounts, readCounts, reportOf } from "#formats/shared/token-counts.ts";

/**
 * Reads the usage of a Converse answer. Input that was read from or written to the cache is not part
 * of `inputTokens`. Older answers add `Count` to the names of these counts.
 */
export function readUsage(raw: unknown): ReadUsage {
  const report = reportOf(raw);
  if (report === undefined) return { kind: "missing" };
  const { count, wrong } = openTokenCounts();
  const either = (name: string) => count(report, name) ?? count(report, `${name}Count`) ?? 0;
  const fresh = count(report, "inputTokens");
  const cacheRead = either("cacheReadInputTokens");
  const written = either("cacheWriteInputTokens");
  const long = listOf(report["cacheDetails"]).find((each) => asObject(each)?.["ttl"] === "1h");
  const cacheWrite1h = Math.min(written, count(asObject(long) ?? {}, "inputTokens") ?? 0);
  const cached = cacheRead + written;
  const found = {
    input: fresh === undefined && cached === 0 ? undefined : (fresh ?? 0) + cached,
    output: count(report, "outputTokens"),
    total: count(report, "totalTokens"),
    cacheRead,
    cacheWrite5m: written - cacheWrite1h,
    cacheWrite1h,
    isCacheBeside: true,
  };
  return readCounts(found, wrong());
}
