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
    /** Further formats that the vendor speaks. */
    readonly others?: Provider["formats"];
  };

/** The paths that most servers of OpenAI's format have. */
export const v1Paths = {
  chat: "/v1/chat/completions",
  completions: "/v1/completions",
  embeddings: "/v1/embeddings",
} as const;

/** Makes a provider that speaks OpenAI's format and authenticates with a bearer key. */
export function openaiCompatible(given: CompatibleFacts): Provider {
  const { paths, asksForUsage = true, readUsage, quirks, responsesPath, others, ...facts } = given;
  const spoken = {
    paths,
    asksForUsage,
    ...(readUsage === undefined ? {} : { readUsage }),
    ...(quirks === undefined ? {} : { quirks }),
  };
  const responses =
    responsesPath === undefined
      ? {}
      : {
          "openai-responses": {
            paths: { chat: responsesPath },
            asksForUsage: false,
            onlyAtHome: true,
          },
        };
  return {
    formats: { "openai-chat": spoken, ...responses, ...others },
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
