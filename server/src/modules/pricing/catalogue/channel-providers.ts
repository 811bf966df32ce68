/** Which provider's prices the models of a channel have, by the channel's type and address. */

import ipaddr from "ipaddr.js";

/** Providers of the catalogue by the number of the channel type; see `contract/src/words/brands.ts`. */
const byType: Readonly<Record<number, string>> = {
  1: "openai",
  3: "azure",
  11: "google",
  14: "anthropic",
  16: "zhipuai",
  17: "alibaba",
  20: "openrouter",
  24: "google",
  25: "moonshotai",
  26: "zhipuai",
  27: "perplexity",
  33: "aws",
  34: "cohere",
  35: "minimax",
  39: "cloudflare",
  41: "google",
  42: "mistral",
  43: "deepseek",
  48: "x-ai",
  1001: "groq",
  1002: "together",
  1003: "fireworks",
  1004: "cerebras",
  1011: "voyageai",
};

/** Types of servers that people run themselves: Ollama, Xinference, vLLM, llama.cpp, LM Studio, SGLang. */
const localTypes: ReadonlySet<number> = new Set([4, 47, 1007, 1008, 1009, 1010]);

/** Providers by the ends of the host names of their addresses; the first that fits counts. */
const byHost: readonly (readonly [end: string, provider: string])[] = [
  ["anthropic.com", "anthropic"],
  ["api.arcee.ai", "arcee"],
  ["api.avian.io", "avian"],
  ["amazonaws.com", "aws"],
  ["api.aws", "aws"],
  ["openai.azure.com", "azure"],
  ["azure-api.net", "azure"],
  ["cognitiveservices.azure.com", "azure"],
  ["services.ai.azure.com", "azure"],
  ["inference.baseten.co", "baseten"],
  ["cerebras.ai", "cerebras"],
  ["api.cloudflare.com", "cloudflare"],
  ["cohere.ai", "cohere"],
  ["cohere.com", "cohere"],
  ["aliyuncs.com", "alibaba"],
  ["deepseek.com", "deepseek"],
  ["doubleword.ai", "doubleword"],
  ["fireworks.ai", "fireworks"],
  ["githubcopilot.com", "github-copilot"],
  ["googleapis.com", "google"],
  ["groq.com", "groq"],
  ["minimax.io", "minimax"],
  ["minimaxi.com", "minimax"],
  ["minimax.chat", "minimax"],
  ["mistral.ai", "mistral"],
  ["moonshot.ai", "moonshotai"],
  ["moonshot.cn", "moonshotai"],
  ["novita.ai", "novita"],
  ["openai.com", "openai"],
  ["openrouter.ai", "openrouter"],
  ["oai.endpoints.kepler.ai.cloud.ovh.net", "ovhcloud"],
  ["perplexity.ai", "perplexity"],
  ["quicksilverpro.io", "quicksilverpro"],
  ["together.xyz", "together"],
  ["together.ai", "together"],
  ["voyageai.com", "voyageai"],
  ["x.ai", "x-ai"],
  ["z.ai", "zai"],
  ["bigmodel.cn", "zhipuai"],
];

/** Whose prices the models of a channel have. */
type ChannelSeller = {
  /** Null: the catalogue does not know the provider, so the vendors' prices are mere proposals. */
  readonly provider: string | null;
  /** Whether the server is one that its operator runs, so that its models may be free. */
  readonly isLocal: boolean;
};

/**
 * Says whose prices the models of a channel have. Its own address decides before its type, because
 * channels of one type often lead to another company's compatible server.
 *
 * @param baseUrl empty: the type's own address.
 */
export function sellerOf(type: number, baseUrl: string): ChannelSeller {
  if (localTypes.has(type)) return { provider: null, isLocal: true };
  const home = byType[type] ?? null;
  if (baseUrl.trim() === "") return { provider: home, isLocal: false };
  const url = URL.parse(baseUrl.trim());
  if (url === null) return { provider: null, isLocal: false };
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, "");
  if (isOwnHost(host)) return { provider: null, isLocal: true };
  if (host === "router.huggingface.co") return { provider: hubProvider(url), isLocal: false };
  const found = byHost.find(([end]) => host === end || host.endsWith(`.${end}`));
  return { provider: found?.[1] ?? null, isLocal: false };
}

/** Hugging Face's router names in its path whose server answers: `/groq/openai/v1`. */
function hubProvider(url: URL): string | null {
  const [, name = ""] = url.pathname.split("/");
  return /^[a-z][a-z-]{1,30}$/.test(name) ? `huggingface_${name}` : null;
}

const privateRanges: ReadonlySet<string> = new Set([
  "carrierGradeNat",
  "linkLocal",
  "loopback",
  "private",
  "uniqueLocal",
  "unspecified",
]);

function isOwnHost(host: string): boolean {
  if (ipaddr.isValid(host)) return privateRanges.has(ipaddr.process(host).range());
  return !host.includes(".") || /\.(?:local|localhost|internal|lan|home\.arpa)$/.test(host);
}
