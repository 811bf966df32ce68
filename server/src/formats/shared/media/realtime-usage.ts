import type { ReadUsage, Usage } from "#canonical/usage.ts";
import type { Json, JsonObject } from "#base/json.ts";
import { asObject, numberOf, objectOf } from "#formats/shared/read-json.ts";
import { readMediaUsage } from "./media-usage.ts";

/**
 * Reads the usage of one response of OpenAI's realtime API. Its details of the input include what
 * was found in the cache, which is charged as such and is taken from them here.
 */
export function readRealtimeUsage(raw: unknown): ReadUsage {
  // Safe cast: usage reports come from parsed JSON.
  const usage = asObject(raw as Json | undefined);
  if (usage === undefined) return { kind: "missing" };
  const details = objectOf(usage["input_token_details"]);
  const cached = objectOf(details["cached_tokens_details"]);
  const report = readMediaUsage({
    ...usage,
    input_token_details: {
      ...details,
      audio_tokens: without(details, cached, "audio_tokens"),
      image_tokens: without(details, cached, "image_tokens"),
    },
  });
  if (report.kind !== "ok") return report;
  const cacheAudio = numberOf(cached["audio_tokens"]) ?? 0;
  const cacheImage = numberOf(cached["image_tokens"]) ?? 0;
  if (!(cacheAudio > 0) && !(cacheImage > 0)) return report;
  return { ...report, usage: withCached(report.usage, cacheAudio, cacheImage) };
}

/** Adds how much of the cached input is sound and how much pictures. */
function withCached(usage: Usage, audio: number, image: number): Usage {
  const of = (count: number): number => Math.min(Math.max(0, Math.floor(count)), usage.cacheRead);
  return { ...usage, cacheAudio: of(audio), cacheImage: of(image) };
}

function without(details: JsonObject, cached: JsonObject, name: string): Json {
  const all = details[name] ?? 0;
  const found = numberOf(cached[name]) ?? 0;
  return typeof all === "number" ? Math.max(all - found, Math.min(all, 0)) : all;
}
