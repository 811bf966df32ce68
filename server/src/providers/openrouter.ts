import { bearer, openaiCompatible, v1Paths } from "./openai-compatible.ts";

/** Names the program in OpenRouter's statistics. The address is reserved: it leads nowhere. */
const attribution = { "http-referer": "https://tollgate.example", "x-title": "Tollgate" };

export const openrouter = openaiCompatible({
  id: "openrouter",
  label: "OpenRouter",
  type: 20,
  baseUrl: "https://openrouter.ai/api",
  paths: v1Paths,
  modelsPath: "/v1/models",
  authHeaders: (key) => ({ ...bearer(key), ...attribution }),
  defaultModels: ["anthropic/claude-sonnet-4.5", "google/gemini-2.5-flash", "openai/gpt-4.1-mini"],
  source:
    "https://openrouter.ai/docs/app-attribution; recorded answers in " +
    "server/test/fixtures/openai/openrouter",
});
