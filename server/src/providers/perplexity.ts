import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const perplexity = openaiCompatible({
  id: "perplexity",
  label: "Perplexity",
  type: 27,
  baseUrl: "https://api.perplexity.ai",
  paths: { chat: "/chat/completions", embeddings: v1Paths.embeddings },
  asksForUsage: false, // each event has the usage anyway
  defaultModels: ["sonar", "sonar-pro", "sonar-reasoning-pro"],
  source:
    "recorded answers in server/test/fixtures/recordings/perplexity; " +
    "base URL as one-api compatible gateways ship it",
});
