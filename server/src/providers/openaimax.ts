import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const openaimax = openaiCompatible({
  id: "openaimax",
  label: "OpenAIMax",
  type: 6,
  baseUrl: "https://api.openaimax.com",
  paths: v1Paths,
  modelsPath: "/v1/models",
  defaultModels: ["gpt-4o", "gpt-4o-mini"],
  source: "base URL and paths as one-api compatible gateways ship them",
});
