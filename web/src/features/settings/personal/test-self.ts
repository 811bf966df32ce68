/** An own account for tests. */

import { type User, user as userSchema } from "contract/users.ts";

export function selfWith(changes: Partial<User>): User {
  return userSchema.parse({ ...alice, ...changes });
}

const alice: User = {
  id: 7,
  username: "alice",
  display_name: "Alice",
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
