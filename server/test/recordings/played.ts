/** The recordings that are played, and the formats in which they were recorded. */

import { join } from "node:path";
import { readRecordings, type Recording } from "#formats/testing/recordings.ts";
import { type TranslatedFormatId, translations } from "#formats/translations.ts";

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
