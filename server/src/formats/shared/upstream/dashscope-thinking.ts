import type { CanonicalRequest } from "#canonical/request.ts";
import type { Losses } from "#formats/shared/losses.ts";
import { budgetOf } from "#formats/shared/reasoning.ts";

/** Matches open models, which think only in streams and otherwise refuse to. */
const openModel = /^qwen3-\d+(\.\d+)?b/;

/** Turns the thinking of Alibaba's models on or off, which both of its formats do alike. */
export function writeThinkingSwitch(
  { limits, model, reasoning, stream }: CanonicalRequest,
  losses: Losses,
): { readonly enable_thinking?: boolean; readonly thinking_budget?: number } {
  const budget = reasoning === null ? null : budgetOf(reasoning);
  if (!stream && openModel.test(model)) {
    losses.addIf(budget !== null, "reasoning");
    return { enable_thinking: false };
  }
  if (reasoning === null) return {};
  // Their output limit is that of the answer alone, so thinking gets the client's limit of its own.
  const { maxOutputTokens } = limits;
  const isLimited = budget !== null && maxOutputTokens !== null && maxOutputTokens < budget;
  const own = budget === null ? null : reasoning.budgetTokens;
  const limit = isLimited ? maxOutputTokens : own;
  return {
    enable_thinking: budget !== null,
    ...(limit === null ? {} : { thinking_budget: limit }),
  };
}
