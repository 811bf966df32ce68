import { z } from "zod";
import { bearer, openaiCompatible, v1Paths } from "./openai-compatible.ts";
import { oneBalance } from "./read-balance.ts";

const credits = z.object({
  data: z.object({ total_credits: z.number(), total_usage: z.number() }),
});

/**
 * Headers that identify Tollgate in OpenRouter's statistics. The domain is reserved and leads
 * nowhere.
 */
const attribution = { "http-referer": "https://tollgate.example", "x-title": "Tollgate" };

export const openrouter = openaiCompatible({
  id: "openrouter",
  label: "OpenRouter",
  type: 20,
  baseUrl: "https://openrouter.ai/api",
  paths: v1Paths,
  quirks: {
    thinkingSwitch: "reasoning",
    reasoningField: "reasoning",
    webSearch: "web_search_options",
  },
  modelsPath: "/v1/models",
  balance: oneBalance(
    "/v1/credits",
    credits.transform(({ data }) => data.total_credits - data.total_usage),
  ),
  authHeaders: (key) => ({ ...bearer(key), ...attribution }),
  defaultModels: ["anthropic/claude-sonnet-4.5", "google/gemini-2.5-flash", "openai/gpt-4.1-mini"],
  source:
    "https://openrouter.ai/docs/app-attribution; recorded answers in " +
    "server/test/fixtures/recordings/openrouter",
});
