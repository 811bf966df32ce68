import type { Modality } from "#canonical/modality.ts";
import type { Provider, SpokenFormat } from "./provider.ts";
import { readFault } from "./read-fault.ts";

/**
 * What a provider file says about a vendor that speaks OpenAI's format. Fields left out get a
 * default.
 */
type CompatibleFacts = Pick<
  Provider,
  "id" | "label" | "type" | "baseUrl" | "defaultModels" | "source"
> &
  Pick<SpokenFormat, "paths"> &
  Partial<Omit<Provider, "formats"> & SpokenFormat> & {
    /** Path of the Responses API; absent: the vendor has none. */
    readonly responsesPath?: string;
    /** Path of the count of a prompt's tokens for it; absent: the vendor counts none. */
    readonly responsesCountPath?: string;
    /** Path of the compaction of Responses; absent: the vendor has none. */
    readonly compactPath?: string;
    /** Further formats that the vendor speaks. */
    readonly others?: Provider["formats"];
    /**
     * Paths of what is neither chat nor embeddings. Absent: those of OpenAI, if the other paths are
     * those of OpenAI as well.
     */
    readonly mediaPaths?: Partial<Record<MediaModality, string>>;
  };

type MediaModality = keyof typeof mediaV1Paths;

/** The paths that OpenAI has for pictures, sound, rerank and the like. */
const mediaV1Paths = {
  "image-edits": "/v1/images/edits",
  "image-variations": "/v1/images/variations",
  images: "/v1/images/generations",
  moderations: "/v1/moderations",
  realtime: "/v1/realtime?model={model}",
  rerank: "/v1/rerank",
  speech: "/v1/audio/speech",
  transcriptions: "/v1/audio/transcriptions",
  translations: "/v1/audio/translations",
} as const satisfies Partial<Record<Modality, string>>;

/** Makes the formats of pictures, sound and the like, of those that have a path. */
export function mediaFormats(paths: Partial<Record<MediaModality, string>>): Provider["formats"] {
  const spoken = { paths, asksForUsage: false };
  return {
    "openai-audio": spoken,
    "openai-images": spoken,
    "openai-moderations": spoken,
    "openai-realtime": spoken,
    rerank: spoken,
  };
}

/** The paths that most servers of OpenAI's format have. */
export const v1Paths = {
  chat: "/v1/chat/completions",
  completions: "/v1/completions",
  embeddings: "/v1/embeddings",
} as const;

/** Makes a provider that speaks OpenAI's format and authenticates with a bearer key. */
export function openaiCompatible(given: CompatibleFacts): Provider {
  const {
    paths,
    asksForUsage = true,
    models,
    readUsage,
    quirks,
    takesCacheKey,
    responsesPath,
    responsesCountPath,
    others,
    ...more
  } = given;
  const { mediaPaths = paths === v1Paths ? mediaV1Paths : {}, compactPath, ...facts } = more;
  const keyed = takesCacheKey === undefined ? {} : { takesCacheKey };
  const spoken = {
    paths,
    asksForUsage,
    ...(models === undefined ? {} : { models }),
    ...(readUsage === undefined ? {} : { readUsage }),
    ...(quirks === undefined ? {} : { quirks }),
    ...keyed,
  };
  const responses =
    responsesPath === undefined
      ? {}
      : {
          "openai-responses": {
            paths: { chat: responsesPath },
            asksForUsage: false,
            onlyAtHome: true,
            ...keyed,
            ...(responsesCountPath === undefined ? {} : { countPath: responsesCountPath }),
          },
        };
  const compaction =
    compactPath === undefined
      ? {}
      : {
          "openai-compact": {
            paths: { compact: compactPath },
            asksForUsage: false,
            onlyAtHome: true,
          },
        };
  return {
    formats: {
      "openai-chat": spoken,
      ...responses,
      ...compaction,
      ...others,
      ...mediaFormats(mediaPaths),
    },
    modelsPath: null,
    authHeaders: bearer,
    readFault,
    keyForm: "API key",
    otherForm: null,
    testable: true,
    ...facts,
  };
}

/**
 * Returns the `authorization` header; none if the key is empty, because self-hosted servers often
 * need no key.
 */
export function bearer(key: string): Readonly<Record<string, string>> {
  return key === "" ? {} : { authorization: `Bearer ${key}` };
}
