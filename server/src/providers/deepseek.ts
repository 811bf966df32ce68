import { openaiCompatible } from "./openai-compatible.ts";

export const deepseek = openaiCompatible({
  id: "deepseek",
  label: "DeepSeek",
  type: 43,
  baseUrl: "https://api.deepseek.com",
  paths: { chat: "/chat/completions", completions: "/beta/completions" },
  modelsPath: "/models",
  defaultModels: ["deepseek-chat", "deepseek-reasoner"],
  source:
    "recorded answers in server/test/fixtures/openai/deepseek; " +
    "base URL as the one-api family ships it",
});
