/** Computes how much of its quota a token has used, and the colours for urgent states. */

import type { Token } from "@tollgate/contract/endpoints/tokens.ts";
import type { Tone } from "#ui/tone.ts";
import { neverExpires, type TokenState } from "#widgets/tokens/token-state.ts";

export const stateTone: Readonly<Record<TokenState, Tone>> = {
  enabled: "success",
  disabled: "neutral",
  expired: "warning",
  exhausted: "danger",
};

/** The bar shows a warning when at least this share of the total quota is used. */
const spendWarnShare = 0.8;

/** Computes how much of the token's quota is used; null: the token has no quota limit. */
export function spendOf(token: Token): { granted: number; used: number; tone: Tone } | null {
  if (token.unlimited_quota) return null;
  const used = token.used_quota;
  const granted = used + Math.max(0, token.remain_quota);
  if (token.remain_quota <= 0) return { granted, used, tone: "danger" };
  return { granted, used, tone: used >= granted * spendWarnShare ? "warning" : "accent" };
}

/** A token that expires within this time, in seconds, is marked. */
const expiryWarnSeconds = 3 * 24 * 3_600;

export function expiryTone(token: Token, nowSeconds: number): Tone {
  if (token.expired_time === neverExpires) return "neutral";
  const left = token.expired_time - nowSeconds;
  if (left <= 0) return "danger";
  return left <= expiryWarnSeconds ? "warning" : "neutral";
}

export function modelLimitsOf({ model_limits }: Token): string[] {
  return model_limits.split(",").filter((name) => name !== "");
}
