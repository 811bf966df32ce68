/**
 * Makes users for tests: as the API answers them to themselves, and as it answers them to admins.
 */

import {
  type AdminUser,
  type User,
  user as userSchema,
} from "@tollgate/contract/endpoints/users.ts";

export function selfWith(changes: Partial<User>): User {
  return userSchema.parse({ ...alice, ...changes });
}

export function userRow(changes: Partial<AdminUser> = {}): AdminUser {
  return { ...alice, ...spendsNothing, ...changes };
}

const alice: User = {
  id: 7,
  username: "alice",
  display_name: "Alice",
  language: "en",
  role: 1,
  status: 1,
  email: "",
  github_id: "",
  oidc_id: "",
  wechat_id: "",
  telegram_id: "",
  linux_do_id: "",
  group: "default",
  quota: 5_000_000,
  debt: 0,
  used_quota: 1_000_000,
  request_count: 1_234,
  quota_version: 1,
  aff_code: "AB12",
  aff_count: 3,
  aff_quota: 2_000_000,
  aff_history_quota: 3_000_000,
  inviter_id: 0,
  setting: "",
  DeletedAt: null,
};

const spendsNothing = {
  one_day: 0,
  one_week: 0,
  one_month: 0,
  one_day_ratio: 0,
  one_week_ratio: 0,
  one_month_ratio: 0,
  last_use_time: 0,
  create_time: 1_795_000_000,
};
