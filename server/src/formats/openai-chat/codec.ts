import type { Codec } from "#formats/codec.ts";
import { readErrorBody } from "./upstream/read-error.ts";
import { readUsage } from "./upstream/read-usage.ts";
import { openScanner } from "./upstream/scan-answer.ts";

/** OpenAI's format: chat completions, completions and embeddings, which share usage and errors. */
export const openaiChat: Codec = {
  openScanner,
  readUsage,
  readErrorBody,
};
