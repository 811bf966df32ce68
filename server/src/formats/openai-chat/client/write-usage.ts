import type { JsonObject } from "#base/json.ts";
import { inputOf, outputOf, type Usage } from "#canonical/usage.ts";

/** Writes the object `usage`, whose details are parts of the counts above them. */
export function writeUsage(usage: Usage): JsonObject {
  const prompt = inputOf(usage);
  const completion = outputOf(usage);
  const written = usage.cacheWrite5m + usage.cacheWrite1h;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: usage.cacheRead,
      audio_tokens: usage.inputAudio,
      ...(written > 0 ? { cache_write_tokens: written } : {}),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: usage.outputAudio,
    },
  };
}
