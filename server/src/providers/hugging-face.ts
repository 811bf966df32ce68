import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const huggingFace = openaiCompatible({
  id: "hugging-face",
  label: "Hugging Face",
  type: 1005,
  baseUrl: "https://router.huggingface.co",
  paths: { chat: v1Paths.chat },
  responsesPath: "/v1/responses",
  modelsPath: "/v1/models",
  defaultModels: [
    "openai/gpt-oss-120b",
    "deepseek-ai/DeepSeek-V3.1",
    "moonshotai/Kimi-K2-Instruct",
  ],
  source:
    "https://huggingface.co/docs/inference-providers; recorded answers in server/test/fixtures/recordings/huggingface",
});
