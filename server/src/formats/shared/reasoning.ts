/** Translates between the two ways to ask for reasoning: an effort and a number of tokens. */

import type { Effort, Limits, Reasoning } from "#canonical/request.ts";

/** How many tokens each effort stands for. A convention; the providers do not publish one. */
const budgets: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 4_096,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_000,
};

/** Returns the number of tokens for reasoning; null: reasoning is off, or the request says nothing. */
export function budgetOf({ effort, budgetTokens }: Reasoning): number | null {
  if (budgetTokens !== null) return budgetTokens > 0 ? budgetTokens : null;
  return effort === null || effort === "none" ? null : budgets[effort];
}

/** Returns the effort for the request; null: the request does not say one. */
export function effortOf({ effort, budgetTokens }: Reasoning): Effort | null {
  if (effort !== null) return effort;
  if (budgetTokens === null) return null;
  if (budgetTokens <= 0) return "none";
  if (budgetTokens <= budgets.minimal) return "minimal";
  if (budgetTokens <= budgets.low) return "low";
  return budgetTokens <= budgets.medium ? "medium" : "high";
}

const knownEfforts: ReadonlyMap<string, Effort> = new Map<string, Effort>([
  ["none", "none"],
  ["minimal", "minimal"],
  ["low", "low"],
  ["medium", "medium"],
  ["high", "high"],
  ["xhigh", "xhigh"],
  ["max", "xhigh"],
]);

/** Reads an effort in any format's words. Null: it is none of them. */
export function readEffort(word: string): Effort | null {
  return knownEfforts.get(word.toLowerCase()) ?? null;
}

/** What is left for the answer itself, if it can be, where reasoning takes a part of the limit. */
const answerTokensMin = 1_024;
/** The smallest number of tokens for reasoning where it is a part of the limit. */
const budgetMin = 1_024;

/**
 * Returns the number of tokens for reasoning in formats where it must be smaller than the output
 * limit; null: the limit leaves no room for any. The client's limit holds, so what stands for an
 * effort gives way to it. A smaller budget that the client itself has set beside its limit stays.
 */
export function budgetWithin(
  reasoning: Reasoning,
  { maxOutputTokens: limit }: Pick<Limits, "maxOutputTokens">,
): number | null {
  const budget = Math.max(budgetMin, budgetOf(reasoning) ?? 0);
  if (limit === null) return budget;
  if (limit <= budgetMin) return null;
  if (reasoning.budgetTokens !== null && budget < limit) return budget;
  return Math.min(budget, Math.max(budgetMin, limit - answerTokensMin));
}

/** Returns the output limit for a budget, where the client has set none; `usual`: that of the model. */
export function limitFor(budget: number, usual: number): number {
  return budget === 0 ? usual : Math.max(usual, budget + answerTokensMin);
}
