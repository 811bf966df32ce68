import type { Codec } from "./codec.ts";
import { openaiChat } from "./openai-chat/codec.ts";

/** Every wire format, one line each, sorted. The key is the id stored in logs and providers. */
export const codecs = {
  "openai-chat": openaiChat,
} as const satisfies Record<string, Codec>;

export type FormatId = keyof typeof codecs;
