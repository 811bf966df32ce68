import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const ails = openaiCompatible({
  id: "ails",
  label: "AILS",
  type: 9,
  baseUrl: "https://api.caipacity.com",
  paths: v1Paths,
  modelsPath: "/v1/models",
  defaultModels: ["gpt-4o", "gpt-4o-mini"],
  source: "base URL and paths as one-api compatible gateways ship them",
});
