import { openaiCompatible } from "./openai-compatible.ts";

export const baiduV2 = openaiCompatible({
  id: "baidu-v2",
  label: "Baidu V2",
  type: 46,
  baseUrl: "https://qianfan.baidubce.com",
  paths: { chat: "/v2/chat/completions", embeddings: "/v2/embeddings" },
  modelsPath: "/v2/models",
  keyForm: "API key of the form bce-v3/…",
  defaultModels: ["ernie-4.0-8k-latest", "ernie-4.0-turbo-8k", "ernie-3.5-8k", "ernie-speed-8k"],
  source: "base URL and paths as one-api compatible gateways ship them",
});
