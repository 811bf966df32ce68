import type { ReadUsage } from "#canonical/usage.ts";
import { listOf, objectOf, textOf } from "#formats/shared/read-json.ts";
import { openTokenCounts, reportOf } from "#formats/shared/token-counts.ts";

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
  const candidates = count(usage, "candidatesTokenCount") ?? 0;
  const reasoning = count(usage, "thoughtsTokenCount") ?? 0;
  const cacheRead = count(usage, "cachedContentTokenCount") ?? 0;
  const total = count(usage, "totalTokenCount");
  // What was read from the cache costs the same whatever it is, so only the rest is told apart.
  const fresh = (kind: string): number =>
    Math.max(0, ofKind("promptTokensDetails", kind) - ofKind("cacheTokensDetails", kind));
  const audioIn = fresh("AUDIO");
  const imageIn = fresh("IMAGE");
  const audioOut = ofKind("candidatesTokensDetails", "AUDIO");
  const imageOut = ofKind("candidatesTokensDetails", "IMAGE");
  if (wrong() !== "") return { kind: "suspect", reason: wrong() };
  if (prompt === undefined) return { kind: "missing" };
  if (prompt + candidates + reasoning === 0) return { kind: "zero" };
  if (cacheRead > prompt) {
    return { kind: "suspect", reason: `cached ${cacheRead} > prompt ${prompt}` };
  }
  let input = prompt - cacheRead;
  const inputAudio = Math.min(audioIn, input);
  input -= inputAudio;
  const inputImage = Math.min(imageIn, input);
  input -= inputImage;
  const outputAudio = Math.min(audioOut, candidates);
  const outputImage = Math.min(imageOut, candidates - outputAudio);
  return {
    kind: "ok",
    usage: {
      input: input + toolPrompt,
      cacheRead,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      inputAudio,
      inputImage,
      output: candidates - outputAudio - outputImage,
      reasoning,
      outputAudio,
      outputImage,
    },
    totalDiffers: total !== undefined && total !== prompt + toolPrompt + candidates + reasoning,
    contradiction: "",
  };
}
