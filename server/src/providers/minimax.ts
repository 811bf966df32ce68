import { openaiCompatible } from "./openai-compatible.ts";

export const minimax = openaiCompatible({
  id: "minimax",
  label: "MiniMax",
  type: 35,
  baseUrl: "https://api.minimax.chat",
  paths: { chat: "/v1/text/chatcompletion_v2" },
  // MiniMax sends usage without a request for it. Its documents do not say whether it accepts the
  // field that requests usage.
  asksForUsage: false,
  defaultModels: ["MiniMax-Text-01", "abab6.5s-chat"],
  source: "base URL and paths as one-api compatible gateways ship them",
});
