import { z } from "zod";
import { openaiCompatible } from "./openai-compatible.ts";
import { oneBalance } from "./read-balance.ts";

const balances = z.object({
  balance_infos: z
    .array(z.object({ currency: z.string(), total_balance: z.coerce.number() }))
    .min(1),
});

/**
 * Reads the balance of an account, which is in one currency. If the answer lists two, the account
 * is charged in yuan.
 */
function readBalances({ balance_infos: infos }: z.output<typeof balances>): number {
  const entry = infos.find(({ currency }) => currency === "CNY") ?? infos[0];
  return entry?.total_balance ?? 0;
}

export const deepseek = openaiCompatible({
  id: "deepseek",
  label: "DeepSeek",
  type: 43,
  baseUrl: "https://api.deepseek.com",
  paths: { chat: "/chat/completions", completions: "/beta/completions" },
  quirks: {
    reasoningField: "reasoning_content",
    maxTokensOnly: true,
    refusedFields: ["user"],
  },
  others: {
    "anthropic-messages": {
      paths: { chat: "/anthropic/v1/messages" },
      asksForUsage: false,
      takesUnsigned: true,
      onlyAtHome: true,
    },
  },
  modelsPath: "/models",
  balance: oneBalance("/user/balance", balances.transform(readBalances)),
  defaultModels: ["deepseek-chat", "deepseek-reasoner"],
  source:
    "recorded answers in server/test/fixtures/recordings/deepseek; " +
    "base URL as one-api compatible gateways ship it",
});
