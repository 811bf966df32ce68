import { openaiCompatible } from "./openai-compatible.ts";

export const zhipuV4 = openaiCompatible({
  id: "zhipu-v4",
  label: "Zhipu GLM-4V",
  type: 26,
  baseUrl: "https://open.bigmodel.cn",
  paths: { chat: "/api/paas/v4/chat/completions", embeddings: "/api/paas/v4/embeddings" },
  quirks: {
    thinkingSwitch: "thinking",
    maxTokensOnly: true,
    webSearch: "tool",
    reasoningField: "reasoning_content",
  },
  others: {
    "anthropic-messages": {
      paths: { chat: "/api/anthropic/v1/messages" },
      asksForUsage: false,
      takesUnsigned: true,
      onlyAtHome: true,
    },
  },
  mediaPaths: { images: "/api/paas/v4/images/generations" },
  defaultModels: ["glm-4.7", "glm-4.6v", "glm-4-flash", "embedding-3"],
  source:
    "recorded answers in server/test/fixtures/recordings/zhipu; " +
    "base URL as one-api compatible gateways ship it",
});
