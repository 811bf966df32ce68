import { openaiCompatible } from "./openai-compatible.ts";

export const moka = openaiCompatible({
  id: "moka",
  label: "MokaAI",
  type: 44,
  baseUrl: "https://api.moka.ai",
  paths: { embeddings: "/embeddings" },
  defaultModels: ["m3e-base", "m3e-large", "m3e-small"],
  source: "base URL and paths as one-api compatible gateways ship them",
});
