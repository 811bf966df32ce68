import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const ai360 = openaiCompatible({
  id: "360-ai",
  label: "360",
  type: 19,
  baseUrl: "https://api.360.cn",
  paths: v1Paths,
  defaultModels: ["360gpt-pro", "360gpt-turbo", "360gpt2-pro"],
  source: "base URL and paths as one-api compatible gateways ship them",
});
