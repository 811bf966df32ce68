/** Translates between the two ways to ask for reasoning: an effort and a number of tokens. */

import type { Effort, Reasoning } from "#canonical/request.ts";

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

/** The least number of tokens for the answer itself when reasoning takes a part of the limit. */
export const answerTokensMin = 1_024;
