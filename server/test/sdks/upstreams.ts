/** The formats of upstreams, each spoken by the demo upstream behind a relay of its own. */

import { demoSecret } from "#test/upstreams/providers/provider.ts";
import type { Provider } from "#providers/provider.ts";
import { aiProxyLibrary } from "#providers/ai-proxy-library.ts";
import { ali } from "#providers/ali.ts";
import { anthropic } from "#providers/anthropic.ts";
import { baidu } from "#providers/baidu.ts";
import { bedrock } from "#providers/bedrock.ts";
import { cohere } from "#providers/cohere.ts";
import { coze } from "#providers/coze.ts";
import { dify } from "#providers/dify.ts";
import { gemini } from "#providers/gemini.ts";
import { ollama } from "#providers/ollama.ts";
import { openai } from "#providers/openai.ts";
import { palm } from "#providers/palm.ts";
import { tencent } from "#providers/tencent.ts";
import { xunfei } from "#providers/xunfei.ts";
import { zhipu } from "#providers/zhipu.ts";
import type { UpstreamFormatId } from "#formats/translation-registry.ts";
import { openTestRelay, testChannel, type TestRelay } from "#relay/testing/relay.ts";

export type Upstream = {
  readonly name: string;
  readonly provider: Provider;
  /** Before the names of the models that the upstream is asked for. */
  readonly prefix: string;
  /** The key of a channel whose upstream knows its model by this name. */
  readonly keyOf: (model: string) => string;
  /** The channel's field `other`. */
  readonly other: string;
  /** Whether the format has words for these. */
  readonly takesImages: boolean;
  readonly takesSchema: boolean;
  readonly reasons: boolean;
  /** How many functions an answer may call at once. */
  readonly callsMax: number;
  /** Whether answers come in pieces, and say what they have used. */
  readonly streams: boolean;
  readonly reportsUsage: boolean;
  /** Whether a refusal has a status of its own, and headers. */
  readonly refusesByStatus: boolean;
};

const able = {
  prefix: "",
  keyOf: () => "sk-upstream-secret-1",
  other: "",
  takesImages: true,
  takesSchema: true,
  reasons: true,
  callsMax: Number.POSITIVE_INFINITY,
  streams: true,
  reportsUsage: true,
  refusesByStatus: true,
};

const bedrockKey = () => "AKDEMO|secret|us-east-1";

/** What upstreams are not able to do for which a conversation is texts. */
const plain = { ...able, takesImages: false, takesSchema: false, reasons: false, callsMax: 0 };

export const upstreams: readonly Upstream[] = [
  { ...able, name: "chat", provider: only(openai, "openai-chat") },
  { ...able, name: "responses", provider: only(openai, "openai-responses") },
  { ...able, name: "messages", provider: anthropic },
  { ...able, name: "generateContent", provider: gemini },
  {
    ...able,
    name: "Converse",
    provider: only(bedrock, "bedrock-converse"),
    keyOf: bedrockKey,
  },
  {
    ...able,
    name: "Invoke of Claude",
    provider: only(bedrock, "bedrock-invoke"),
    prefix: "claude-",
    keyOf: bedrockKey,
  },
  {
    ...able,
    name: "Invoke of Nova",
    provider: only(bedrock, "bedrock-invoke"),
    keyOf: bedrockKey,
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
  {
    ...able,
    name: "Hunyuan",
    provider: tencent,
    keyOf: () => `AKDEMO|${demoSecret}`,
    takesSchema: false,
    refusesByStatus: false,
  },
  {
    ...able,
    name: "Spark",
    provider: only(xunfei, "xunfei-spark"),
    keyOf: () => `app1|${demoSecret}|key`,
    // A version at which the demo upstream serves models of any name.
    other: "demo",
    takesImages: false,
    takesSchema: false,
    callsMax: 1,
    refusesByStatus: false,
  },
  {
    ...plain,
    name: "Wenxin",
    provider: baidu,
    keyOf: () => `id|${demoSecret}`,
    refusesByStatus: false,
  },
  {
    ...plain,
    name: "Zhipu v3",
    provider: only(zhipu, "zhipu-v3"),
    prefix: "chatglm_",
    keyOf: () => `id.${demoSecret}`,
  },
  { ...plain, name: "PaLM", provider: palm, streams: false, reportsUsage: false },
  { ...plain, name: "Dify", provider: dify, keyOf: (model) => `app-${model}` },
  {
    ...plain,
    name: "Dify's workflows",
    provider: dify,
    other: "workflow",
    keyOf: (model) => `app-${model}`,
    reportsUsage: false,
  },
  { ...plain, name: "Coze", provider: coze, reasons: true, refusesByStatus: false },
  {
    ...plain,
    name: "AI Proxy's library",
    provider: aiProxyLibrary,
    other: "42",
    reportsUsage: false,
  },
];

/** Returns the provider as if it spoke one format only. */
function only(provider: Provider, format: UpstreamFormatId): Provider {
  const spoken = provider.formats[format];
  return { ...provider, formats: spoken === undefined ? {} : { [format]: spoken } };
}

/** Opens a relay with a channel to the demo upstream for each of these models. */
export function openRelayTo(
  { keyOf, other, provider, prefix }: Upstream,
  { demo, models }: { readonly demo: string; readonly models: readonly string[] },
): TestRelay {
  const channels = models.map((model, index) =>
    testChannel({
      id: index + 1,
      baseUrl: demo,
      provider,
      other,
      models: new Set([model]),
      keys: [keyOf(prefix + model)],
      modelMapping: new Map([[model, prefix + model]]),
    }),
  );
  const options = { retryTimes: 0, automaticDisable: false };
  return openTestRelay({ channels, options, stillConnections: true });
}
