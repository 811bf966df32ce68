import type { ReadUsage } from "#canonical/usage.ts";
import { readMediaUsage } from "#formats/shared/media/media-usage.ts";
import { listOf, objectOf, textOf } from "#formats/shared/read-json.ts";
import { openTokenCounts, reportOf } from "#formats/shared/token-counts.ts";

/** Reads the usage of vectors, which only some of Google's models report. */
export function readVectorsUsage(raw: unknown): ReadUsage {
  const usage = reportOf(raw);
  if (usage === undefined) return { kind: "missing" };
  const { count, wrong } = openTokenCounts();
  const details = listOf(usage["promptTokensDetails"] ?? usage["promptTokenDetails"]);
  const ofKind = (kind: string): number => {
    const detail = details
      .map((each) => objectOf(each))
      .find((each) => textOf(each["modality"]) === kind);
    return detail === undefined ? 0 : (count(detail, "tokenCount") ?? 0);
  };
  const prompt = count(usage, "promptTokenCount");
  const [audio, image] = [ofKind("AUDIO"), ofKind("IMAGE")];
  if (wrong() !== "") return { kind: "suspect", reason: wrong() };
  if (prompt === undefined) return { kind: "missing" };
  return readMediaUsage({
    input_tokens: prompt,
    output_tokens: 0,
    input_tokens_details: { audio_tokens: audio, image_tokens: image },
  });
}
