import type { ReadUsage } from "#canonical/usage.ts";
import { asObject, listOf } from "#formats/shared/read-json.ts";
import { openTokenCounts, reportOf } from "#formats/shared/token-counts.ts";

/**
 * Reads the usage of a Converse answer. Input that was read from or written to the cache is not part
 * of `inputTokens`. Older answers add `Count` to the names of these counts.
 */
export function readUsage(raw: unknown): ReadUsage {
  const report = reportOf(raw);
  if (report === undefined) return { kind: "missing" };
  const { count, wrong } = openTokenCounts();
  const either = (name: string) => count(report, name) ?? count(report, `${name}Count`) ?? 0;
  const input = count(report, "inputTokens");
  const output = count(report, "outputTokens");
  const cacheRead = either("cacheReadInputTokens");
  const written = either("cacheWriteInputTokens");
  const total = count(report, "totalTokens");
  const long = listOf(report["cacheDetails"]).find((each) => asObject(each)?.["ttl"] === "1h");
  const cacheWrite1h = Math.min(written, count(asObject(long) ?? {}, "inputTokens") ?? 0);
  if (wrong() !== "") return { kind: "suspect", reason: wrong() };
  if (input === undefined || output === undefined) return { kind: "missing" };
  const sum = input + cacheRead + written + output;
  if (sum === 0) return { kind: "zero" };
  return {
    kind: "ok",
    usage: {
      input,
      cacheRead,
      cacheWrite5m: written - cacheWrite1h,
      cacheWrite1h,
      inputAudio: 0,
      inputImage: 0,
      output,
      reasoning: 0,
      outputAudio: 0,
      outputImage: 0,
    },
    totalDiffers: total !== undefined && total !== sum,
    contradiction: "",
  };
}
