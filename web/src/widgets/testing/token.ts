/** Makes tokens for tests, as the API answers them to their owner. */

import { type Token, tokenStatus } from "@tollgate/contract/endpoints/tokens.ts";

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
  deny_ips: "",
  rate_limit_count: 0,
  rate_limit_seconds: 60,
  rate_limit_message: "",
  mj_mode: "",
  mj_proxy_method: "",
  mj_proxy_address: "",
  mj_backup_pool: false,
  chat_links: "",
  tags: "",
  budget_day: 0,
  budget_week: 0,
  budget_month: 0,
  budgets: [],
  old_key: "",
  old_key_ends_at: 0,
  group: "",
  DeletedAt: null,
};
