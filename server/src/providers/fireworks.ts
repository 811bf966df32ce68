import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const fireworks = openaiCompatible({
  id: "fireworks",
  label: "Fireworks AI",
  type: 1003,
  baseUrl: "https://api.fireworks.ai/inference",
  paths: v1Paths,
  quirks: { reasoningField: "reasoning_content" },
  modelsPath: "/v1/models",
  defaultModels: [
    "accounts/fireworks/models/deepseek-v3p1",
    "accounts/fireworks/models/kimi-k2-instruct",
  ],
  source: "https://docs.fireworks.ai/api-reference (read 2026-11-23)",
});
