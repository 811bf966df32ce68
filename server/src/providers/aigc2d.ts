import { openaiCompatible, v1Paths } from "./openai-compatible.ts";
import { balanceIn } from "./read-balance.ts";

export const aigc2d = openaiCompatible({
  id: "aigc2d",
  label: "AIGC2D",
  type: 13,
  baseUrl: "https://api.aigc2d.com",
  paths: v1Paths,
  modelsPath: "/v1/models",
  balance: balanceIn("/dashboard/billing/credit_grants", "total_available"),
  defaultModels: ["gpt-4o", "gpt-4o-mini"],
  source: "base URL and paths as one-api compatible gateways ship them",
});
