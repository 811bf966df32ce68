import { openaiCompatible, v1Paths } from "./openai-compatible.ts";
import { balanceInData } from "./read-balance.ts";

export const moonshot = openaiCompatible({
  id: "moonshot",
  label: "Moonshot",
  type: 25,
  baseUrl: "https://api.moonshot.cn",
  paths: { chat: v1Paths.chat },
  quirks: { reasoningField: "reasoning_content", maxTokensOnly: true },
  others: {
    "anthropic-messages": {
      paths: { chat: "/anthropic/v1/messages" },
      asksForUsage: false,
      takesUnsigned: true,
      onlyAtHome: true,
    },
  },
  modelsPath: "/v1/models",
  balance: balanceInData("/v1/users/me/balance", "available_balance"),
  defaultModels: ["kimi-latest", "moonshot-v1-8k", "moonshot-v1-32k", "moonshot-v1-128k"],
  source:
    "recorded answers in server/test/fixtures/recordings/moonshot; " +
    "base URL as one-api compatible gateways ship it",
});
