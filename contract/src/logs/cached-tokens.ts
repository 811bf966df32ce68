/** What the provider of a call had of its prompt in its cache, and what that has saved. */

import type { LogOther } from "./log-other.ts";

type Ratios = Pick<
  LogOther,
  "cache_ratio" | "cache_tokens" | "group_ratio" | "model_price" | "model_ratio"
>;

/** Returns how many quota units the call would have cost more, by what its row says of its price. */
export function savedByPromptCache(row: Ratios): number {
  const { cache_tokens = 0, cache_ratio = 1, group_ratio = 1, model_ratio = 0 } = row;
  if ((row.model_price ?? -1) >= 0 || cache_ratio >= 1) return 0;
  return Math.round(cache_tokens * model_ratio * group_ratio * (1 - cache_ratio));
}

/** Reads from the `usage` of a log row how many tokens of its prompt the provider had in its cache. */
export function cachedTokensOf(usage: string): number {
  const [, tokens = "0"] = /"cacheRead":(\d{1,15})/.exec(usage) ?? [];
  return Number(tokens);
}
