import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const unspecified = openaiCompatible({
  id: "unspecified",
  label: "Unspecified",
  type: 0,
  baseUrl: "https://api.openai.com",
  paths: v1Paths,
  modelsPath: "/v1/models",
  defaultModels: [],
  source: "one-api compatible gateways treat channels without a type as OpenAI's",
});
