import { openaiCompatible } from "./openai-compatible.ts";

export const jina = openaiCompatible({
  id: "jina",
  label: "Jina",
  type: 38,
  baseUrl: "https://api.jina.ai",
  paths: { embeddings: "/v1/embeddings" },
  mediaPaths: { rerank: "/v1/rerank" },
  modelsPath: null,
  defaultModels: ["jina-embeddings-v4", "jina-embeddings-v3", "jina-reranker-v3"],
  source: "https://jina.ai/embeddings (read 2026-11-23)",
});
