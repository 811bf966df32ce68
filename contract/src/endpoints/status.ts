/** What a console needs to know about a server before sign-in. */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";

/** The fields that the specification of consoles lists. Consoles of other makers read them. */
const specified = {
  version: z.string(),
  /** Unix seconds. */
  start_time: z.number().int(),
  /** Whether the installation is set up; false: there is no root yet. */
  setup: z.boolean(),
  email_verification: z.boolean(),
  github_oauth: z.boolean(),
  github_client_id: z.string(),
  linuxdo_oauth: z.boolean(),
  linuxdo_client_id: z.string(),
  telegram_oauth: z.boolean(),
  telegram_bot_name: z.string(),
  wechat_login: z.boolean(),
  wechat_qrcode: z.string(),
  oidc_enabled: z.boolean(),
  oidc_client_id: z.string(),
  oidc_authorization_endpoint: z.string(),
  turnstile_check: z.boolean(),
  turnstile_site_key: z.string(),
  system_name: z.string(),
  logo: z.string(),
  footer_html: z.string(),
  server_address: z.string(),
  docs_link: z.string(),
  top_up_link: z.string(),
  price: z.number(),
  min_topup: z.number().int(),
  enable_online_topup: z.boolean(),
  quota_per_unit: z.number(),
  display_in_currency: z.boolean(),
  enable_batch_update: z.boolean(),
  enable_drawing: z.boolean(),
  enable_task: z.boolean(),
  enable_data_export: z.boolean(),
  data_export_default_time: z.enum(["hour", "day", "week"]),
  default_collapse_sidebar: z.boolean(),
  mj_notify_enabled: z.boolean(),
  /** Links to chat clients: objects with one field each, name → address. */
  chats: z.array(z.record(z.string(), z.string())),
  chat_link: z.string(),
  chat_link2: z.string(),
  demo_site_enabled: z.boolean(),
  self_use_mode_enabled: z.boolean(),
};

/** What pages of this console need beyond that, also before anybody has signed in. */
const neededByPages = {
  /** The commit that the program was built from; empty: unknown. */
  commit: z.string(),
  /**
   * Whether cookies are sent to this browser over HTTPS only. If not, although the page came over
   * HTTPS, the server does not trust the proxy in front of it.
   */
  secure_cookies: z.boolean(),
  /**
   * Whether sign-in by password, registration by password, and registration by any method are
   * enabled.
   */
  password_login_enabled: z.boolean(),
  password_register_enabled: z.boolean(),
  register_enabled: z.boolean(),
  /** Whether users can become agents. */
  agents_enabled: z.boolean(),
  /** The quota units that an invitation earns the inviter and the invited user. */
  quota_for_inviter: z.number().int(),
  quota_for_invitee: z.number().int(),
  /** Whether visitors can make calls of the demo account; see `demo-calls.ts`. */
  demo_calls_enabled: z.boolean(),
  /** Whether visitors can look around as root; see `demo-calls.ts`. */
  demo_tour_enabled: z.boolean(),
};

/**
 * Everything that a visitor is told of the server; nothing else is. No field may be missing: web
 * consoles copy each into local storage, where a missing one would become the text "undefined".
 */
export const status = z.object({ ...specified, ...neededByPages });
export type Status = z.infer<typeof status>;

export const readStatus = endpoint({
  method: "GET",
  path: "/api/status",
  access: "public",
  input: z.object({}),
  output: status,
});

/** Succeeds when the database answers; 503 otherwise. */
export const testStatus = endpoint({
  method: "GET",
  path: "/api/status/test",
  access: "admin",
  input: z.object({}),
  output: z.void(),
});
