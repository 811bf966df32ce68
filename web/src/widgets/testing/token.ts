/** Makes tokens for tests, as the API answers them to their owner. */

import { type Token, tokenStatus } from "@tollgate/contract/tokens.ts";

/** Makes a token without a limit of quota, time or models. */
export function tokenWith(changes: Partial<Token> = {}): Token {
  return { ...laptop, ...changes };
}

const laptop: Token = {
  id: 5,
  user_id: 7,
  key: "ab12••••wxyz",
  status: tokenStatus.enum.enabled,
  name: "laptop",
  created_time: 1,
  accessed_time: 1,
  expired_time: -1,
  remain_quota: 0,
  unlimited_quota: true,
  used_quota: 0,
  model_limits_enabled: false,
  model_limits: "",
  allow_ips: "",
  group: "",
  DeletedAt: null,
};
