import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const vllm = openaiCompatible({
  id: "vllm",
  label: "vLLM",
  type: 1007,
  baseUrl: null,
  paths: v1Paths,
  responsesPath: "/v1/responses",
  keyForm: "The key of the server, or any text if it has none",
  quirks: { reasoningField: "reasoning_content" },
  modelsPath: "/v1/models",
  defaultModels: [],
  source: "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html (read 2026-11-23)",
});
