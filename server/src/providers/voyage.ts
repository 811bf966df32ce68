import { openaiCompatible } from "./openai-compatible.ts";

export const voyage = openaiCompatible({
  id: "voyage",
  label: "Voyage AI",
  type: 1011,
  baseUrl: "https://api.voyageai.com",
  paths: {},
  others: {
    "voyage-vectors": { paths: { embeddings: "/v1/embeddings" }, asksForUsage: false },
    "voyage-rerank": { paths: { rerank: "/v1/rerank" }, asksForUsage: false },
  },
  modelsPath: null,
  defaultModels: ["voyage-3.5", "voyage-3.5-lite", "voyage-code-3", "rerank-2.5"],
  source: "https://docs.voyageai.com/reference (read 2026-11-23)",
});
