import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const ohmygpt = openaiCompatible({
  id: "ohmygpt",
  label: "OhMyGPT",
  type: 7,
  baseUrl: "https://api.ohmygpt.com",
  paths: v1Paths,
  modelsPath: "/v1/models",
  defaultModels: ["gpt-4o", "gpt-4o-mini"],
  source: "base URL and paths as one-api compatible gateways ship them",
});
