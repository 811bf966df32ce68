import { anthropicMessages } from "./anthropic-messages/anthropic-messages.ts";
import type { ClientFormat, Format } from "./format.ts";
import { cohereVectors } from "./cohere-vectors/cohere-vectors.ts";
import { deepgramAudio } from "./deepgram-audio/deepgram-audio.ts";
import { elevenlabsAudio } from "./elevenlabs-audio/elevenlabs-audio.ts";
import { dashscopeVectors } from "./dashscope-vectors/dashscope-vectors.ts";
import type { LiveFormat } from "./live.ts";
import { geminiVectors, geminiVector } from "./gemini-vectors/gemini-vectors.ts";
import { geminiGenerate } from "./gemini-generate/gemini-generate.ts";
import { geminiLive } from "./gemini-live/gemini-live.ts";
import { openaiAudio } from "./openai-audio/openai-audio.ts";
import { openaiChat } from "./openai-chat/openai-chat.ts";
import { openaiCompact } from "./openai-compact/openai-compact.ts";
import { openaiImages } from "./openai-images/openai-images.ts";
import { openaiModerations } from "./openai-moderations/openai-moderations.ts";
import { openaiRealtime } from "./openai-realtime/openai-realtime.ts";
import { openaiResponses } from "./openai-responses/openai-responses.ts";
import { cohereRerank, dashscopeRerank, rerank, voyageRerank } from "./rerank/rerank.ts";
import { voyageVectors } from "./voyage-vectors/voyage-vectors.ts";

/**
 * The formats whose bytes are passed on, because clients speak them, one line each, sorted. The key
 * is the format's id in logs and provider files. `translation-registry.ts` has all formats.
 */
export const formats = {
  "anthropic-messages": anthropicMessages,
  "cohere-rerank": cohereRerank,
  "cohere-vectors": cohereVectors,
  "dashscope-rerank": dashscopeRerank,
  "dashscope-vectors": dashscopeVectors,
  "deepgram-audio": deepgramAudio,
  "elevenlabs-audio": elevenlabsAudio,
  "gemini-generate": geminiGenerate,
  "gemini-live": geminiLive(geminiGenerate.upstream, "google"),
  // The version of the API whose sessions can do more; its messages are the same.
  "gemini-live-alpha": geminiLive(geminiGenerate.upstream, "google"),
  // As Vertex has it: another path, and other names of the output's counts.
  "gemini-live-vertex": geminiLive(geminiGenerate.upstream, "vertex"),
  "gemini-vector": geminiVector,
  "gemini-vectors": geminiVectors,
  "openai-audio": openaiAudio,
  "openai-chat": openaiChat,
  "openai-compact": openaiCompact(openaiResponses),
  "openai-images": openaiImages,
  "openai-moderations": openaiModerations,
  "openai-realtime": openaiRealtime,
  "openai-responses": openaiResponses,
  rerank,
  "voyage-rerank": voyageRerank,
  "voyage-vectors": voyageVectors,
} as const satisfies Record<string, Format>;

type FormatId = keyof typeof formats;

/** An id of a format that clients speak. */
export type ClientFormatId = {
  [Id in FormatId]: (typeof formats)[Id] extends { readonly client: ClientFormat } ? Id : never;
}[FormatId];

/** An id of a format whose clients have sessions over a WebSocket. */
export type LiveFormatId = {
  [Id in ClientFormatId]: (typeof formats)[Id]["client"] extends { readonly live: LiveFormat }
    ? Id
    : never;
}[ClientFormatId];

/** Ids of the formats that clients speak, in the order of the registry. */
export const clientFormatIds: readonly ClientFormatId[] = (
  Object.keys(formats) as FormatId[]
).filter((id) => formats[id].client !== undefined);
