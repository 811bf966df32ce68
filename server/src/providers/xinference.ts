import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const xinference = openaiCompatible({
  id: "xinference",
  label: "Xinference",
  type: 47,
  baseUrl: null,
  paths: v1Paths,
  modelsPath: "/v1/models",
  defaultModels: ["qwen2.5-instruct", "bge-m3"],
  source: "base URL and paths as one-api compatible gateways ship them",
});
