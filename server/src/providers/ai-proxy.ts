import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const aiProxy = openaiCompatible({
  id: "ai-proxy",
  label: "AI Proxy",
  type: 10,
  baseUrl: "https://api.aiproxy.io",
  paths: v1Paths,
  modelsPath: "/v1/models",
  defaultModels: ["gpt-4o", "gpt-4o-mini"],
  source: "base URL and paths as one-api compatible gateways ship them",
});
