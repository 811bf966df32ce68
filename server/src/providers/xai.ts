import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const xai = openaiCompatible({
  id: "xai",
  traceName: "x_ai",
  label: "xAI",
  type: 48,
  baseUrl: "https://api.x.ai",
  paths: { chat: v1Paths.chat, completions: v1Paths.completions },
  mediaPaths: {
    "image-edits": "/v1/images/edits",
    images: "/v1/images/generations",
    realtime: "/v1/realtime?model={model}",
  },
  responsesPath: "/v1/responses",
  modelsPath: "/v1/models",
  defaultModels: ["grok-4", "grok-3", "grok-3-mini"],
  source:
    "recorded answers in server/test/fixtures/recordings/xai; " +
    "base URL as one-api compatible gateways ship it",
});
