/** The formats between which embeddings, rerank and sound are converted, one line each, sorted. */

import type { Modality } from "#canonical/modality.ts";
import { type Conversion, joinHalves } from "./conversion.ts";
import { cohereEmbeddings } from "./cohere-vectors/conversion.ts";
import { deepgramSpeech, deepgramTranscription } from "./deepgram-audio/conversion.ts";
import { elevenlabsSpeech, elevenlabsTranscription } from "./elevenlabs-audio/conversion.ts";
import { dashscopeEmbeddings } from "./dashscope-vectors/conversion.ts";
import { batchEmbeddings, singleEmbedding } from "./gemini-vectors/conversion.ts";
import { speechClient, transcriptionClient } from "./openai-audio/conversion.ts";
import { openaiEmbeddings } from "./openai-chat/conversion.ts";
import type { ClientFormatId } from "./registry.ts";
import type { UpstreamFormatId } from "./translation-registry.ts";
import { cohereRerank, dashscopeRerank, jinaRerank, voyageRerank } from "./rerank/conversion.ts";
import { voyageEmbeddings } from "./voyage-vectors/conversion.ts";

const embeddingClients = {
  "cohere-vectors": cohereEmbeddings.client,
  "gemini-vectors": batchEmbeddings.client,
  "gemini-vector": singleEmbedding.client,
  "openai-chat": openaiEmbeddings.client,
} as const;

const embeddingUpstreams = {
  "cohere-vectors": cohereEmbeddings.upstream,
  "dashscope-vectors": dashscopeEmbeddings,
  "gemini-vectors": batchEmbeddings.upstream,
  "openai-chat": openaiEmbeddings.upstream,
  "voyage-vectors": voyageEmbeddings,
} as const;

const rerankUpstreams = {
  "cohere-rerank": cohereRerank,
  "dashscope-rerank": dashscopeRerank,
  "voyage-rerank": voyageRerank,
} as const;

const speechUpstreams = {
  "deepgram-audio": deepgramSpeech,
  "elevenlabs-audio": elevenlabsSpeech,
} as const;

const transcriptionUpstreams = {
  "deepgram-audio": deepgramTranscription,
  "elevenlabs-audio": elevenlabsTranscription,
} as const;

/** Every conversion: by the modality, the client's format and the upstream's. */
const conversions: Partial<
  Record<Modality, Partial<Record<ClientFormatId, Partial<Record<UpstreamFormatId, Conversion>>>>>
> = {
  embeddings: mapValues(embeddingClients, (client) =>
    mapValues(embeddingUpstreams, (upstream) => joinHalves(client, upstream)),
  ),
  rerank: {
    rerank: mapValues(rerankUpstreams, (upstream) => joinHalves(jinaRerank, upstream)),
  },
  speech: {
    "openai-audio": mapValues(speechUpstreams, (upstream) => joinHalves(speechClient, upstream)),
  },
  transcriptions: {
    "openai-audio": mapValues(transcriptionUpstreams, (upstream) =>
      joinHalves(transcriptionClient, upstream),
    ),
  },
};

function mapValues<Key extends string, From, To>(
  from: Readonly<Record<Key, From>>,
  to: (value: From) => To,
): Record<Key, To> {
  const entries = Object.entries<From>(from).map(([key, value]) => [key, to(value)]);
  // Safe cast: the keys are those of `from`.
  return Object.fromEntries(entries) as Record<Key, To>;
}

/** Returns how calls are converted between two formats. Undefined: they are not. */
export function findConversion(
  modality: Modality,
  client: ClientFormatId,
  upstream: UpstreamFormatId,
): Conversion | undefined {
  return conversions[modality]?.[client]?.[upstream];
}

/** Returns the upstream formats to which calls of a client format are converted, the best first. */
export function convertedTo(
  modality: Modality,
  client: ClientFormatId,
): readonly UpstreamFormatId[] {
  // Safe cast: the keys of the table are ids of formats.
  return Object.keys(conversions[modality]?.[client] ?? {}) as UpstreamFormatId[];
}
