import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const nvidia = openaiCompatible({
  id: "nvidia",
  label: "NVIDIA NIM",
  type: 1006,
  baseUrl: "https://integrate.api.nvidia.com",
  paths: v1Paths,
  modelsPath: "/v1/models",
  defaultModels: ["nvidia/llama-3.3-nemotron-super-49b-v1.5", "meta/llama-3.3-70b-instruct"],
  source: "https://docs.api.nvidia.com/nim/reference (read 2026-11-23)",
});
