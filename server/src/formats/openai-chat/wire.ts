/**
 * The parts of OpenAI's wire format the gateway reads and writes: chat completions, completions
 * and embeddings, as OpenAI documents them and as the many servers that speak it depart from it.
 * Everything an answer may leave out is optional; what is not named here passes unread.
 *
 * Source: types of the npm package `openai` 7.57, and the recorded answers in test/fixtures.
 */

/** `usage` of an answer. Counts are inclusive: details are parts of the counts above them. */
export type WireUsage = {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly total_tokens?: number;
  readonly prompt_tokens_details?: {
    readonly cached_tokens?: number;
    readonly cache_write_tokens?: number;
    readonly audio_tokens?: number;
    readonly image_tokens?: number;
  } | null;
  readonly completion_tokens_details?: {
    readonly reasoning_tokens?: number;
    readonly audio_tokens?: number;
    readonly image_tokens?: number;
  } | null;
  /** DeepSeek; together they are the prompt. */
  readonly prompt_cache_hit_tokens?: number;
  readonly prompt_cache_miss_tokens?: number;
  /** Moonshot, Hugging Face. */
  readonly cached_tokens?: number;
  /** Mistral. */
  readonly num_cached_tokens?: number;
  /** Azure's DeepSeek, Perplexity. */
  readonly reasoning_tokens?: number;
};

/** What ends a stream: the payload of its last event. */
export const doneWord = "[DONE]";

/** What keeps a tool call's name, arguments and free input, wherever a vendor nests them. */
export const toolCallKeys = ["name", "arguments", "input"] as const;

/** Keys of the text in content parts: plain, refused, and Mistral's and Anthropic's thinking. */
export const partKeys = ["text", "refusal", "thinking"] as const;

/** Keys of the text in `reasoning_details` (OpenRouter, MiniMax). */
export const reasoningDetailKeys = ["text", "summary"] as const;
