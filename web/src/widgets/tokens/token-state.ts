/** A token's current state, whatever status was stored when it was last used. */

import { type Token, tokenStatus } from "@tollgate/contract/tokens.ts";

export type TokenState = keyof typeof tokenStatus.enum;

/** The expiry time of a token that never expires. */
export const neverExpires = -1;

export function tokenState(token: Token, nowSeconds: number): TokenState {
  const { disabled, expired, exhausted } = tokenStatus.enum;
  if (token.status === disabled) return "disabled";
  if (token.expired_time !== neverExpires) {
    if (token.expired_time <= nowSeconds) return "expired";
  }
  if (!token.unlimited_quota && token.remain_quota <= 0) return "exhausted";
  // The status is older: the owner has since given the token more time or quota.
  if (token.status === expired || token.status === exhausted) return "disabled";
  return "enabled";
}
