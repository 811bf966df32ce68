import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const lmStudio = openaiCompatible({
  id: "lm-studio",
  label: "LM Studio",
  type: 1009,
  baseUrl: "http://localhost:1234",
  paths: v1Paths,
  responsesPath: "/v1/responses",
  keyForm: "Any text; servers of one's own take no key",
  modelsPath: "/v1/models",
  defaultModels: [],
  source:
    "https://lmstudio.ai/docs/developer; recorded answers in server/test/fixtures/recordings/lmstudio",
});
