/** The formats between which requests and answers are translated, one line each, sorted. */

import { anthropicMessages } from "./anthropic-messages/translation.ts";
import { geminiGenerate } from "./gemini-generate/translation.ts";
import { openaiChat } from "./openai-chat/translation.ts";
import { openaiResponses } from "./openai-responses/translation.ts";
import type { Translation } from "./translation.ts";

export const translations = {
  "anthropic-messages": anthropicMessages,
  "gemini-generate": geminiGenerate,
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
} as const satisfies Record<string, Translation>;

export type TranslatedFormatId = keyof typeof translations;
