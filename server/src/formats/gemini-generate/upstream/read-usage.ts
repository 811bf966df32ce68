import type { ReadUsage } from "#canonical/usage.ts";
import { listOf, objectOf, textOf } from "#formats/shared/read-json.ts";
import { openTokenCounts, readCounts, reportOf } from "#formats/shared/token-counts.ts";

/**
 * Reads the usage of a Gemini answer. Cached tokens are part of the prompt, thoughts are not part
 * of the candidates, and the prompt of tools that Google runs is counted apart. Fields that are
 * zero are left out.
 */
export function readUsage(raw: unknown): ReadUsage {
  const usage = reportOf(raw);
  if (usage === undefined) return { kind: "missing" };
  const { count, wrong } = openTokenCounts();
  /** The tokens of one kind among the details. */
  const ofKind = (name: string, kind: string): number => {
    for (const each of listOf(usage[name])) {
      const detail = objectOf(each);
      if (textOf(detail["modality"]) === kind) return count(detail, "tokenCount") ?? 0;
    }
    return 0;
  };
  const prompt = count(usage, "promptTokenCount");
  const toolPrompt = count(usage, "toolUsePromptTokenCount") ?? 0;
  // What was read from the cache counts as such, whatever it is.
  const fresh = (kind: string): number =>
    Math.max(0, ofKind("promptTokensDetails", kind) - ofKind("cacheTokensDetails", kind));
  const found = {
    input: prompt === undefined ? undefined : prompt + toolPrompt,
    output: count(usage, "candidatesTokenCount"),
    total: count(usage, "totalTokenCount"),
    cacheRead: count(usage, "cachedContentTokenCount"),
    cacheAudio: ofKind("cacheTokensDetails", "AUDIO"),
    cacheImage: ofKind("cacheTokensDetails", "IMAGE"),
    inputAudio: fresh("AUDIO"),
    inputImage: fresh("IMAGE"),
    reasoning: count(usage, "thoughtsTokenCount"),
    outputAudio: ofKind("candidatesTokensDetails", "AUDIO"),
    outputImage: ofKind("candidatesTokensDetails", "IMAGE"),
    isThoughtBeside: true,
  };
  return readCounts(found, wrong());
}
