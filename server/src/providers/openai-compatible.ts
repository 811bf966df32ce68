import type { Modality } from "#canonical/modality.ts";
import { readUsage } from "#formats/openai-chat/upstream/read-usage.ts";
import type { Provider } from "./provider.ts";
import { readFault } from "./read-fault.ts";

/** What a vendor that speaks OpenAI's format has to say about itself; the rest has defaults. */
export type CompatibleFacts = Pick<
  Provider,
  "id" | "label" | "type" | "baseUrl" | "defaultModels" | "source"
> & {
  readonly paths: Partial<Record<Modality, string>>;
} & Partial<Omit<Provider, "paths">>;

/** Most servers put everything below `/v1`. */
export const v1Paths = {
  chat: "/v1/chat/completions",
  completions: "/v1/completions",
  embeddings: "/v1/embeddings",
} as const;

/** A provider that speaks OpenAI's format and authenticates with a bearer key. */
export function openaiCompatible(facts: CompatibleFacts): Provider {
  return {
    modelsPath: null,
    asksForUsage: true,
    authHeaders: bearer,
    readFault,
    readUsage,
    keyForm: "API key",
    otherForm: null,
    testable: true,
    ...facts,
    paths: { "openai-chat": facts.paths },
  };
}

/** No header without a key: servers of one's own often have none. */
export function bearer(key: string): Readonly<Record<string, string>> {
  return key === "" ? {} : { authorization: `Bearer ${key}` };
}
