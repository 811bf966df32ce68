import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const llamaCpp = openaiCompatible({
  id: "llama-cpp",
  label: "llama.cpp",
  type: 1008,
  baseUrl: "http://localhost:8080",
  paths: v1Paths,
  keyForm: "The key of the server, or any text if it has none",
  modelsPath: "/v1/models",
  defaultModels: [],
  source: "https://github.com/ggml-org/llama.cpp/tree/master/tools/server (read 2026-11-23)",
});
