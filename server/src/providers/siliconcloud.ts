import { openaiCompatible, v1Paths } from "./openai-compatible.ts";
import { balanceInData } from "./read-balance.ts";

export const siliconcloud = openaiCompatible({
  id: "siliconcloud",
  label: "SiliconCloud",
  type: 40,
  baseUrl: "https://api.siliconflow.cn",
  paths: v1Paths,
  modelsPath: "/v1/models",
  balance: balanceInData("/v1/user/info", "totalBalance"),
  keyForm: "API key of the site .cn; one of .com needs https://api.siliconflow.com as base URL",
  defaultModels: ["Qwen/Qwen2.5-72B-Instruct", "deepseek-ai/DeepSeek-V3", "BAAI/bge-m3"],
  source: "base URL and paths as one-api compatible gateways ship them",
});
