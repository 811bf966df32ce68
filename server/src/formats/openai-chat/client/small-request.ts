import type { Modality } from "#canonical/modality.ts";

/** Returns the smallest request that a model answers, used to test a channel. */
export function smallRequest(model: string, modality: Modality): object {
  if (modality === "embeddings") return { model, input: ["hello world"] };
  const messages = [{ role: "user", content: "hi" }];
  if (/^o[1-9]/.test(model)) return { model, messages, max_completion_tokens: 10 };
  return { model, messages, max_tokens: tokensFor(model) };
}

/**
 * Returns how many output tokens the request allows: more for reasoning models, which spend tokens
 * before the first word.
 */
function tokensFor(model: string): number {
  if (model.includes("gemini")) return 300;
  return model.includes("thinking") ? 50 : 10;
}
