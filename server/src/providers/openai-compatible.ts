import type { Provider, SpokenFormat } from "./provider.ts";
import { readFault } from "./read-fault.ts";

/** The facts about a vendor that speaks OpenAI's format. Everything left out has a default. */
type CompatibleFacts = Pick<
  Provider,
  "id" | "label" | "type" | "baseUrl" | "defaultModels" | "source"
> &
  Pick<SpokenFormat, "paths"> &
  Partial<Omit<Provider, "formats"> & SpokenFormat>;

/** The paths of most servers. */
export const v1Paths = {
  chat: "/v1/chat/completions",
  completions: "/v1/completions",
  embeddings: "/v1/embeddings",
} as const;

/** A provider that speaks OpenAI's format and authenticates with a bearer key. */
export function openaiCompatible(given: CompatibleFacts): Provider {
  const { paths, asksForUsage = true, readUsage, ...facts } = given;
  const spoken = { paths, asksForUsage, ...(readUsage === undefined ? {} : { readUsage }) };
  return {
    formats: { "openai-chat": spoken },
    modelsPath: null,
    authHeaders: bearer,
    readFault,
    keyForm: "API key",
    otherForm: null,
    testable: true,
    ...facts,
  };
}

/** No header without a key: self-hosted servers often have none. */
export function bearer(key: string): Readonly<Record<string, string>> {
  return key === "" ? {} : { authorization: `Bearer ${key}` };
}
