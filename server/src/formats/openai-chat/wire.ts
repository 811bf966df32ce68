/**
 * The parts of OpenAI's wire format that the gateway reads and writes: chat completions,
 * completions and embeddings, as OpenAI documents them and as other servers deviate from that.
 * Fields that an answer may omit are optional. Fields that are not listed here are passed on
 * unread.
 *
 * Source: types of the npm package `openai` 7.57, and the recorded answers in test/fixtures.
 */

/**
 * The object `usage` of an answer. Its counts overlap: the details are parts of the counts above
 * them.
 */
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
  /** Sent by DeepSeek. Hit and miss tokens together are the prompt. */
  readonly prompt_cache_hit_tokens?: number;
  readonly prompt_cache_miss_tokens?: number;
  /** Sent by Moonshot and Hugging Face. */
  readonly cached_tokens?: number;
  /** Sent by Mistral. */
  readonly num_cached_tokens?: number;
  /** Sent by Azure for DeepSeek, and by Perplexity. */
  readonly reasoning_tokens?: number;
  /** Web searches: sent by Perplexity, xAI (the sources that were found) and OpenRouter. */
  readonly num_search_queries?: number;
  readonly num_sources_used?: number;
  readonly server_tool_use_details?: { readonly web_search_requests?: number } | null;
};

/** The payload of the event that closes a stream. */
export const doneWord = "[DONE]";

/**
 * Keys under which tool calls have text of the model: the tool's name, its arguments, and free
 * input. Vendors nest them at different depths.
 */
export const toolCallKeys = ["name", "arguments", "input"] as const;

/**
 * Keys under which parts of the content have text: plain text, refusals, and the thinking of
 * Mistral and Anthropic.
 */
export const partKeys = ["text", "refusal", "thinking"] as const;

/** Keys under which the parts of `reasoning_details` have text (OpenRouter, MiniMax). */
export const reasoningDetailKeys = ["text", "summary"] as const;
