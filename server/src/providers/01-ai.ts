import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const ai01 = openaiCompatible({
  id: "01-ai",
  label: "01.AI",
  type: 31,
  baseUrl: "https://api.lingyiwanwu.com",
  paths: v1Paths,
  modelsPath: "/v1/models",
  defaultModels: ["yi-lightning", "yi-large", "yi-vision"],
  source: "base URL and paths as one-api compatible gateways ship them",
});
