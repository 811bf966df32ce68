import { openaiCompatible, v1Paths } from "./openai-compatible.ts";
import { balanceIn } from "./read-balance.ts";

export const api2gpt = openaiCompatible({
  id: "api2gpt",
  label: "API2GPT",
  type: 12,
  baseUrl: "https://api.api2gpt.com",
  paths: v1Paths,
  modelsPath: "/v1/models",
  balance: balanceIn("/dashboard/billing/credit_grants", "total_remaining"),
  defaultModels: ["gpt-4o", "gpt-4o-mini"],
  source: "base URL and paths as one-api compatible gateways ship them",
});
