import { expect, test } from "bun:test";
import { status } from "@tollgate/contract/endpoints/status.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";

/** The fields that the specification of consoles lists, which other consoles read. */
const specified = `
  chat_link chat_link2 chats data_export_default_time default_collapse_sidebar
  demo_site_enabled display_in_currency docs_link email_verification enable_batch_update
  enable_data_export enable_drawing enable_online_topup enable_task footer_html
  github_client_id github_oauth linuxdo_client_id linuxdo_oauth logo
  min_topup mj_notify_enabled oidc_authorization_endpoint oidc_client_id oidc_enabled
  price quota_per_unit self_use_mode_enabled server_address setup
  start_time system_name telegram_bot_name telegram_oauth top_up_link
  turnstile_check turnstile_site_key version wechat_login wechat_qrcode
`
  .trim()
  .split(/\s+/);

test("visitors are told what the specification lists and what a page reads, and nothing else of the server", () => {
  const root = join(import.meta.dir, "../..");
  const pages = [...new Glob("**/*.{ts,tsx}").scanSync(root)]
    .filter((path) => !/\.test\.|\/testing\//.test(path))
    .map((path) => readFileSync(join(root, path), "utf8"));
  const fields = Object.keys(status.shape);
  const unread = fields
    .filter((name) => !specified.includes(name))
    .filter((name) => !pages.some((text) => new RegExp(`\\b${name}\\b`).test(text)));

  expect(specified.filter((name) => !fields.includes(name))).toEqual([]);
  expect(unread).toEqual([]);
});
