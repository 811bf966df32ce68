/** A status with every sign-in method switched off, for tests. */

import { type Status, status as statusSchema } from "@tollgate/contract/status.ts";

export function statusWith(changes: Partial<Status>): Status {
  return statusSchema.parse({ ...off, ...changes });
}

const off: Status = {
  version: "",
  start_time: 0,
  setup: true,
  email_verification: false,
  github_oauth: false,
  github_client_id: "",
  linuxdo_oauth: false,
  linuxdo_client_id: "",
  telegram_oauth: false,
  telegram_bot_name: "",
  wechat_login: false,
  wechat_qrcode: "",
  oidc_enabled: false,
  oidc_client_id: "",
  oidc_authorization_endpoint: "",
  turnstile_check: false,
  turnstile_site_key: "",
  system_name: "",
  logo: "",
  footer_html: "",
  server_address: "",
  docs_link: "",
  top_up_link: "",
  price: 7.3,
  min_topup: 1,
  enable_online_topup: false,
  quota_per_unit: 500_000,
  quota_for_inviter: 0,
  quota_for_invitee: 0,
  display_in_currency: false,
  enable_batch_update: false,
  enable_drawing: false,
  enable_task: false,
  enable_data_export: false,
  data_export_default_time: "hour",
  default_collapse_sidebar: false,
  mj_notify_enabled: false,
  chats: [],
  chat_link: "",
  chat_link2: "",
  demo_site_enabled: false,
  self_use_mode_enabled: false,
};
