/** The recordings that are played, and the formats in which they were recorded. */

import { join } from "node:path";
import { readRecordings, type Recording } from "#formats/testing/recordings.ts";
import { type ClientFormatId, clientFormatIds } from "#formats/registry.ts";
import { type TranslatedFormatId, translations } from "#formats/translation-registry.ts";

export const recordings = readRecordings(join(import.meta.dir, "../fixtures/recordings"));

/** The format of each API whose answers the gateway translates. */
export const formatOf: Readonly<Record<string, TranslatedFormatId>> = {
  "anthropic.messages": "anthropic-messages",
  "bedrock.converse": "bedrock-converse",
  "bedrock.converse-stream": "bedrock-converse",
  "bedrock.invoke": "bedrock-invoke",
  "bedrock.invoke-with-response-stream": "bedrock-invoke",
  "cohere.v1.chat": "cohere-v1",
  "cohere.v2.chat": "cohere-v2",
  "dashscope.aigc.multimodal-generation.generation": "dashscope",
  "dashscope.aigc.text-generation.generation": "dashscope",
  "gemini.generateContent": "gemini-generate",
  "gemini.streamGenerateContent": "gemini-generate",
  "ollama.chat": "ollama",
  "ollama.generate": "ollama",
  "openai.chat": "openai-chat",
  "openai.responses": "openai-responses",
};

/** The formats of clients whose calls are translated. */
export type TranslatedClientId = ClientFormatId & TranslatedFormatId;
export const translatedClientIds: readonly TranslatedClientId[] = clientFormatIds.filter(
  (id): id is TranslatedClientId => Object.hasOwn(translations, id),
);

/** The format of each API whose answers are pictures, sound, vectors, or documents in order. */
export const mediaFormatOf: Readonly<Record<string, ClientFormatId>> = {
  "cohere.v1.rerank": "cohere-rerank",
  "cohere.v2.embed": "cohere-vectors",
  "cohere.v2.rerank": "cohere-rerank",
  "dashscope.embeddings.text-embedding.text-embedding": "dashscope-vectors",
  "dashscope.rerank.text-rerank.text-rerank": "dashscope-rerank",
  "deepgram.listen": "deepgram-audio",
  "deepgram.speak": "deepgram-audio",
  "elevenlabs.speech-to-text": "elevenlabs-audio",
  "gemini.batchEmbedContents": "gemini-vectors",
  "gemini.embedContent": "gemini-vector",
  "openai.audio.speech": "openai-audio",
  "openai.audio.transcriptions": "openai-audio",
  "openai.audio.translations": "openai-audio",
  "openai.images.edits": "openai-images",
  "openai.images.generations": "openai-images",
  "openai.moderations": "openai-moderations",
  "openai.responses.compact": "openai-compact",
  "voyage.embeddings": "voyage-vectors",
  "voyage.rerank": "voyage-rerank",
};

/** APIs that are never translated. `openai-fixtures.test.ts` replays their recordings. */
export const passedOn: readonly string[] = ["openai.completions", "openai.embeddings"];

type PlayedRecording = {
  readonly recording: Recording;
  readonly format: TranslatedFormatId;
};

/** Returns the recordings of the APIs that are translated, each with its format. */
export function playedRecordings(): readonly PlayedRecording[] {
  return recordings.flatMap((recording) => {
    const format = formatOf[recording.surface];
    return format === undefined ? [] : [{ recording, format }];
  });
}

export function upstreamOf(format: TranslatedFormatId) {
  return translations[format].upstream;
}

const cost =
  /"(?:cost|cost_details|cost_in_usd_ticks|estimated_cost|total_cost)":\s*(?:\{[^{}]*\}|null|[\d.eE+-]+)/
    .source;
const costAfter = new RegExp(`,\\s*${cost}`, "g");
const costBefore = new RegExp(`${cost}\\s*,\\s*`, "g");

/**
 * Returns an answer without what it says that the call costs the gateway: clients are not told.
 * There are blanks in its place, so blanks at the ends of fields do not count.
 */
export function withoutCosts(text: string): string {
  return text
    .replace(costAfter, "")
    .replace(costBefore, "")
    .replaceAll(/ +(?=[\n,}])|(?<=[,{]) +/g, "");
}
