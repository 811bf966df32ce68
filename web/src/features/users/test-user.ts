/** A user as admins see one, for tests. */

import type { AdminUser } from "contract/users.ts";

export function userRow(fields: Partial<AdminUser> = {}): AdminUser {
  return {
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
    quota: 500,
    used_quota: 0,
    request_count: 0,
    quota_version: 1,
    aff_code: "ab12",
    aff_count: 0,
    aff_quota: 0,
    aff_history_quota: 0,
    inviter_id: 0,
    setting: "",
    DeletedAt: null,
    one_day: 0,
    one_week: 0,
    one_month: 0,
    one_day_ratio: 0,
    one_week_ratio: 0,
    one_month_ratio: 0,
    last_use_time: 0,
    create_time: 1_795_000_000,
    ...fields,
  };
}
