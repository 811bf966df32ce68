/**
 * A token's present state, computed from its limits: the status in the database is updated only
 * when the token is used.
 */

import { type Token, tokenStatus } from "@tollgate/contract/endpoints/tokens.ts";

export type TokenState = keyof typeof tokenStatus.enum;

/** The value of `expired_time` for a token that never expires. */
export const neverExpires = -1;

export function tokenState(token: Token, nowSeconds: number): TokenState {
  const { disabled, expired, exhausted } = tokenStatus.enum;
  if (token.status === disabled) return "disabled";
  if (token.expired_time !== neverExpires) {
    if (token.expired_time <= nowSeconds) return "expired";
  }
  if (!token.unlimited_quota && token.remain_quota <= 0) return "exhausted";
  // The stored status is from before the owner gave the token more time or quota. The token stays
  // off until it is enabled again.
  if (token.status === expired || token.status === exhausted) return "disabled";
  return "enabled";
}
