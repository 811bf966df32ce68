import { bearer, openaiCompatible, v1Paths } from "./openai-compatible.ts";
import { dashboardBalance } from "./read-balance.ts";

/**
 * Base URL of Cloudflare's AI gateway. Such a URL names the version itself, so the path after it
 * must not.
 */
const cloudflareGateway = "https://gateway.ai.cloudflare.com/";

export const openai = openaiCompatible({
  id: "openai",
  label: "OpenAI",
  type: 1,
  baseUrl: "https://api.openai.com",
  paths: v1Paths,
  takesCacheKey: true,
  responsesPath: "/v1/responses",
  responsesCountPath: "/v1/responses/input_tokens",
  compactPath: "/v1/responses/compact",
  modelsPath: "/v1/models",
  balance: dashboardBalance,
  adjustUrl(url, { channel: { baseUrl } }) {
    if (!baseUrl.startsWith(cloudflareGateway) || !url.startsWith(baseUrl)) return url;
    return baseUrl + url.slice(baseUrl.length).replace(/^\/v1(?=\/)/, "");
  },
  authHeaders: (key, { organization }) =>
    organization === "" ? bearer(key) : { ...bearer(key), "openai-organization": organization },
  keyForm: "API key (sk-…)",
  defaultModels: [
    "gpt-5",
    "gpt-5-mini",
    "gpt-4.1",
    "gpt-4o",
    "gpt-4o-mini",
    "text-embedding-3-small",
    "text-embedding-3-large",
  ],
  source: "npm package openai 7.57; recorded answers in server/test/fixtures/recordings/openai",
});
