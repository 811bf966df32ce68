import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const together = openaiCompatible({
  id: "together",
  label: "Together AI",
  type: 1002,
  baseUrl: "https://api.together.xyz",
  paths: v1Paths,
  modelsPath: "/v1/models",
  defaultModels: [
    "meta-llama/Llama-3.3-70B-Instruct-Turbo",
    "deepseek-ai/DeepSeek-V3.1",
    "Qwen/Qwen3-235B-A22B",
  ],
  source: "https://docs.together.ai/reference (read 2026-11-23)",
});
