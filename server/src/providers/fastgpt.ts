import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const fastgpt = openaiCompatible({
  id: "fastgpt",
  label: "FastGPT",
  type: 22,
  baseUrl: "https://fastgpt.run/api/openapi",
  paths: { chat: v1Paths.chat },
  baseUrlForm: "Address of the installation, up to /api/openapi",
  keyForm: "Key of the FastGPT application",
  defaultModels: ["gpt-4o", "gpt-4o-mini"],
  source: "base URL and paths as one-api compatible gateways ship them",
});
