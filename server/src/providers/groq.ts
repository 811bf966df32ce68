import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const groq = openaiCompatible({
  id: "groq",
  label: "Groq",
  type: 1001,
  baseUrl: "https://api.groq.com/openai",
  paths: { chat: v1Paths.chat },
  mediaPaths: {
    speech: "/v1/audio/speech",
    transcriptions: "/v1/audio/transcriptions",
    translations: "/v1/audio/translations",
  },
  responsesPath: "/v1/responses",
  modelsPath: "/v1/models",
  defaultModels: ["llama-3.3-70b-versatile", "openai/gpt-oss-120b", "qwen/qwen3-32b"],
  source: "https://console.groq.com/docs/api-reference (read 2026-11-23)",
});
