import type { Codec } from "#formats/codec.ts";
import { readErrorBody } from "./read-error.ts";
import { readUsage } from "./read-usage.ts";
import { openScanner } from "./scan-answer.ts";

/** OpenAI's format: chat completions, completions and embeddings, which share usage and errors. */
export const openaiChat: Codec = {
  openScanner,
  readUsage,
  readErrorBody,
};
