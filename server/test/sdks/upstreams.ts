/** The formats of upstreams, each spoken by the demo upstream behind a relay of its own. */

import type { Provider } from "#providers/provider.ts";
import { ali } from "#providers/ali.ts";
import { anthropic } from "#providers/anthropic.ts";
import { bedrock } from "#providers/bedrock.ts";
import { cohere } from "#providers/cohere.ts";
import { gemini } from "#providers/gemini.ts";
import { ollama } from "#providers/ollama.ts";
import { openai } from "#providers/openai.ts";
import type { UpstreamFormatId } from "#formats/translations.ts";
import { openTestRelay, testChannel, type TestRelay } from "#relay/testing/relay.ts";

export type Upstream = {
  readonly name: string;
  readonly provider: Provider;
  /** Before the names of the models that the upstream is asked for. */
  readonly prefix: string;
  /** Whether the format has words for these. */
  readonly takesImages: boolean;
  readonly takesSchema: boolean;
  readonly reasons: boolean;
};

const able = { prefix: "", takesImages: true, takesSchema: true, reasons: true };

export const upstreams: readonly Upstream[] = [
  { ...able, name: "chat", provider: only(openai, "openai-chat") },
  { ...able, name: "responses", provider: only(openai, "openai-responses") },
  { ...able, name: "messages", provider: anthropic },
  { ...able, name: "generateContent", provider: gemini },
  { ...able, name: "Converse", provider: only(bedrock, "bedrock-converse") },
  {
    ...able,
    name: "Invoke of Claude",
    provider: only(bedrock, "bedrock-invoke"),
    prefix: "claude-",
  },
  {
    ...able,
    name: "Invoke of Nova",
    provider: only(bedrock, "bedrock-invoke"),
    takesSchema: false,
  },
  { ...able, name: "Cohere v2", provider: only(cohere, "cohere-v2") },
  {
    ...able,
    name: "Cohere v1",
    provider: only(cohere, "cohere-v1"),
    takesImages: false,
    reasons: false,
  },
  { ...able, name: "Ollama", provider: only(ollama, "ollama") },
  { ...able, name: "DashScope", provider: only(ali, "dashscope") },
];

/** Returns the provider as if it spoke one format only. */
function only(provider: Provider, format: UpstreamFormatId): Provider {
  const spoken = provider.formats[format];
  return { ...provider, formats: spoken === undefined ? {} : { [format]: spoken } };
}

/** Opens a relay with one channel to the demo upstream, for these models. */
export function openRelayTo(
  { provider, prefix }: Upstream,
  { demo, models }: { readonly demo: string; readonly models: readonly string[] },
): TestRelay {
  const channel = testChannel({
    baseUrl: demo,
    provider,
    models: new Set(models),
    keys: [provider.id === "bedrock" ? "AKDEMO|secret|us-east-1" : "sk-upstream-secret-1"],
    modelMapping: new Map(models.map((model) => [model, prefix + model])),
  });
  const options = { retryTimes: 0, automaticDisable: false };
  return openTestRelay({ channels: [channel], options });
}
