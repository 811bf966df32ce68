import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const cerebras = openaiCompatible({
  id: "cerebras",
  label: "Cerebras",
  type: 1004,
  baseUrl: "https://api.cerebras.ai",
  paths: { chat: v1Paths.chat, completions: v1Paths.completions },
  modelsPath: "/v1/models",
  defaultModels: ["gpt-oss-120b", "llama-3.3-70b", "qwen-3-235b-a22b-instruct-2507"],
  source:
    "https://inference-docs.cerebras.ai/api-reference; recorded answers in server/test/fixtures/recordings/cerebras",
});
