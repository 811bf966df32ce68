import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const sglang = openaiCompatible({
  id: "sglang",
  label: "SGLang",
  type: 1010,
  baseUrl: "http://localhost:30000",
  paths: v1Paths,
  keyForm: "The key of the server, or any text if it has none",
  modelsPath: "/v1/models",
  defaultModels: [],
  source: "https://docs.sglang.ai/basic_usage/openai_api.html (read 2026-11-23)",
});
