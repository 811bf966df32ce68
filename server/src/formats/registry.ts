import { anthropicMessages } from "./anthropic-messages/anthropic-messages.ts";
import type { ClientFormat, Format } from "./format.ts";
import { geminiGenerate } from "./gemini-generate/gemini-generate.ts";
import { openaiChat } from "./openai-chat/openai-chat.ts";
import { openaiResponses } from "./openai-responses/openai-responses.ts";

/**
 * The formats whose bytes are passed on, because clients speak them, one line each, sorted. The key
 * is the format's id in logs and provider files. `translations.ts` has all formats.
 */
export const formats = {
  "anthropic-messages": anthropicMessages,
  "gemini-generate": geminiGenerate,
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
} as const satisfies Record<string, Format>;

type FormatId = keyof typeof formats;

/** An id of a format that clients speak. */
export type ClientFormatId = {
  [Id in FormatId]: (typeof formats)[Id] extends { readonly client: ClientFormat } ? Id : never;
}[FormatId];

/** Ids of the formats that clients speak, in the order of the registry. */
export const clientFormatIds: readonly ClientFormatId[] = (
  Object.keys(formats) as FormatId[]
).filter((id) => formats[id].client !== undefined);
