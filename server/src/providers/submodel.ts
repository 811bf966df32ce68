import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const submodel = openaiCompatible({
  id: "submodel",
  label: "Submodel",
  type: 53,
  baseUrl: "https://llm.submodel.ai",
  paths: { chat: v1Paths.chat },
  modelsPath: "/v1/models",
  defaultModels: [],
  source: "base URL and type number as one-api compatible gateways ship them",
});
