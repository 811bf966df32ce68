import { expect, test } from "bun:test";
import type { Provider } from "./provider.ts";
import { providers } from "./registry.ts";
import { upstreamUrl } from "./upstream-url.ts";

const all = Object.values<Provider>(providers);

function urlOf(
  provider: Provider,
  baseUrl: string,
  format: keyof Provider["formats"],
  modality: "chat" | "embeddings" | "images" | "realtime" = "chat",
): string | undefined {
  const channel = { baseUrl, other: "", organization: "" };
  return upstreamUrl(provider, { channel, format, modality, model: "m", isStream: false });
}

test("an address that vendors print for their API is the root of all calls", () => {
  const chat = "/chat/completions";
  for (const [provider, pasted, format, url] of [
    ["gemini", "/v1beta", "gemini-generate", "/v1beta/models/m:generateContent"],
    ["gemini", "/v1", "gemini-generate", "/v1/models/m:generateContent"],
    ["gemini", "/v1beta/openai", "gemini-generate", "/v1beta/models/m:generateContent"],
    ["gemini", `/v1beta/openai${chat}`, "gemini-generate", "/v1beta/models/m:generateContent"],
    ["gemini", "/v1beta/models", "gemini-generate", "/v1beta/models/m:generateContent"],
    [
      "gemini",
      "/v1beta/models/x:generateContent",
      "gemini-generate",
      "/v1beta/models/m:generateContent",
    ],
    [
      "gemini",
      "/v1beta/models/x:streamGenerateContent",
      "gemini-generate",
      "/v1beta/models/m:generateContent",
    ],
    ["openai", "/v1", "openai-chat", `/v1${chat}`],
    ["openai", `/v1${chat}`, "openai-chat", `/v1${chat}`],
    ["openai", "/v1/chat", "openai-chat", `/v1${chat}`],
    ["openai", "/chat", "openai-chat", `/chat/v1${chat}`],
    ["openai", "/v1/responses", "openai-chat", `/v1${chat}`],
    ["openai", "/v1/models", "openai-chat", `/v1${chat}`],
    ["openai", "/v1beta/openai", "openai-chat", `/v1beta/openai${chat}`],
    ["openai", `/v1beta/openai${chat}`, "openai-chat", `/v1beta/openai${chat}`],
    ["openai", "/v1/openai", "openai-chat", `/v1/openai${chat}`],
    ["openai", "/openai/v1", "openai-chat", `/openai/v1${chat}`],
    ["openai", "/openai", "openai-chat", `/openai/v1${chat}`],
    ["openai", "/api/v3", "openai-chat", `/api/v3${chat}`],
    ["openai", `/api/v3${chat}`, "openai-chat", `/api/v3${chat}`],
    ["openai", "/api/paas/v4", "openai-chat", `/api/paas/v4${chat}`],
    ["openai", `/api${chat}`, "openai-chat", `/api${chat}`],
    ["openai", "/proxy", "openai-chat", `/proxy/v1${chat}`],
    ["anthropic", "/v1", "anthropic-messages", "/v1/messages"],
    ["anthropic", "/v1/messages", "anthropic-messages", "/v1/messages"],
    ["anthropic", "/anthropic/v1/messages", "anthropic-messages", "/anthropic/v1/messages"],
    ["anthropic", "/anthropic", "anthropic-messages", "/anthropic/v1/messages"],
    [
      "anthropic",
      "/v1/account/gateway/anthropic",
      "anthropic-messages",
      "/v1/account/gateway/anthropic/v1/messages",
    ],
    ["cohere", "/v2", "cohere-v2", "/v2/chat"],
    ["cohere", "/v2/chat", "cohere-v2", "/v2/chat"],
    ["ollama", "/v1", "ollama", "/api/chat"],
    ["ollama", "/api", "ollama", "/api/chat"],
    ["ollama", "/api/chat", "openai-chat", `/v1${chat}`],
    ["ali", "/compatible-mode/v1", "openai-chat", `/compatible-mode/v1${chat}`],
    ["azure", "/openai", "openai-chat", `/openai/deployments/m${chat}?api-version=2024-10-21`],
    ["azure", "/openai/v1", "openai-chat", `/openai/deployments/m${chat}?api-version=2024-10-21`],
    [
      "azure",
      `/openai/deployments/d${chat}`,
      "openai-chat",
      `/openai/deployments/m${chat}?api-version=2024-10-21`,
    ],
    ["azure", "/openai/deployments/d", "openai-responses", "/openai/v1/responses"],
    [
      "vertex",
      "/v1/projects/p/locations/l/publishers/google/models/m:generateContent",
      "gemini-generate",
      "/v1/publishers/google/models/m:generateContent",
    ],
    [
      "vertex",
      "/v1/projects/p/locations/l",
      "gemini-generate",
      "/v1/publishers/google/models/m:generateContent",
    ],
    [
      "vertex",
      "/v1beta1",
      "gemini-generate",
      "/v1beta1/publishers/google/models/m:generateContent",
    ],
  ] as const) {
    const made = urlOf(providers[provider], `https://a.test${pasted}`, format);
    expect(`${provider} ${pasted}: ${made}`).toBe(`${provider} ${pasted}: https://a.test${url}`);
  }
  expect(
    urlOf(providers.openai, "https://a.test/v1/chat/completions", "openai-images", "images"),
  ).toBe("https://a.test/v1/images/generations");
  expect(
    urlOf(providers.openai, "https://a.test/api/v3/chat/completions", "openai-chat", "embeddings"),
  ).toBe("https://a.test/api/v3/embeddings");
  expect(
    urlOf(providers.custom, "https://a.test/v9/chat/completions?x={model}", "openai-chat"),
  ).toBe("https://a.test/v9/chat/completions?x=m");
});

test("the full address of any call of a provider is never doubled", () => {
  for (const provider of all) {
    const baseUrl = provider.baseUrl ?? "https://a.test";
    const usual = callsOf(provider, baseUrl);
    for (const pasted of new Set(usual)) {
      const [address = ""] = pasted.split("?");
      // The address of a host alone names no call.
      if (address.split("/").slice(3).join("") === "") continue;
      expect(callsOf(provider, address), `${provider.id} ${address}`).toEqual(usual);
    }
  }
});

function callsOf(provider: Provider, baseUrl: string): string[] {
  // The base URL of one is complete, and the other has a host for each format.
  if (provider.id === "custom" || provider.id === "xunfei") return [];
  const channel = { baseUrl, other: "o", organization: "" };
  return Object.entries(provider.formats).flatMap(([format, { paths }]) =>
    Object.keys(paths).flatMap((modality) => {
      // Safe cast: these are the keys of the type.
      const target = { channel, format, modality, model: "m", isStream: false } as Parameters<
        typeof upstreamUrl
      >[1];
      return upstreamUrl(provider, target) ?? [];
    }),
  );
}
