import { openaiCompatible } from "./openai-compatible.ts";

export const volcengine = openaiCompatible({
  id: "volcengine",
  label: "VolcEngine",
  type: 45,
  baseUrl: "https://ark.cn-beijing.volces.com",
  paths: { chat: "/api/v3/chat/completions", embeddings: "/api/v3/embeddings" },
  quirks: { reasoningField: "reasoning_content" },
  mediaPaths: { images: "/api/v3/images/generations" },
  // Models whose names begin with `bot` are bots, which have a path of their own.
  adjustUrl: (url, { model }) =>
    model.startsWith("bot") ? url.replace(/\/chat\/completions$/, "/bots$&") : url,
  defaultModels: ["doubao-1-5-pro-32k-250115", "doubao-1-5-lite-32k-250115"],
  source: "base URL and paths as one-api compatible gateways ship them",
});
