/**
 * The shapes that one-api's consoles read. They are written without the contract, so that a
 * missing or new key, another type or another unit shows as a difference.
 */

import { expect } from "bun:test";
import { z } from "zod";
import { tokenKeyLength } from "@tollgate/contract/endpoints/tokens.ts";

const whole = z.int();
const count = z.int().min(0);
const text = z.string();
const flag = z.boolean();
const share = z.number().min(0).max(1);

/** Unix seconds of this century, neither milliseconds nor text. */
const seconds = z.int().min(1_500_000_000).max(4_102_444_800);
const secondsOrNone = z.union([z.literal(0), seconds]);

const noText = z.literal("");

/** Expects that no field of the value differs from the shape. */
export function expectShape(schema: z.ZodType, value: unknown): void {
  const { error } = schema.safeParse(value);
  expect(error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? []).toEqual(
    [],
  );
}

/** Makes the shape of a successful answer's envelope with exactly this data. */
export function answered(data: z.ZodType, beside: z.ZodRawShape = {}) {
  return z.strictObject({ success: z.literal(true), message: noText, data, ...beside });
}

/** Makes the shape of one page of a list that counts its pages from 1. */
export function pageOf(item: z.ZodType) {
  return z.strictObject({
    items: z.array(item),
    total: count,
    page: z.int().min(1),
    page_size: z.int().min(1).max(100),
  });
}

const person = z.strictObject({
  id: z.int().min(1),
  username: text.min(1).max(12),
  display_name: text,
  role: z.literal([1, 10, 100]),
  status: z.literal([1, 2, 3]),
  group: text.min(1),
});

/** What a sign-in answers; consoles store it in the browser. */
export const shortUser = person.extend({
  // Sent only to a user who must change the password first.
  password_expired: z.literal(true).optional(),
});

export const user = person.extend({
  language: text,
  email: text,
  github_id: text,
  oidc_id: text,
  wechat_id: text,
  telegram_id: text,
  linux_do_id: text,
  quota: count,
  quota_version: count,
  debt: count,
  used_quota: count,
  request_count: count,
  aff_code: text.regex(/^[A-Za-z0-9]{4}$/),
  aff_count: count,
  aff_quota: count,
  aff_history_quota: count,
  inviter_id: count,
  // A text that holds JSON, which consoles parse themselves; never an object.
  setting: z.union([noText, text.startsWith("{")]),
  DeletedAt: z.union([z.null(), z.iso.datetime()]),
});

export const adminUser = user.extend({
  one_day: count,
  one_week: count,
  one_month: count,
  one_day_ratio: share,
  one_week_ratio: share,
  one_month_ratio: share,
  last_use_time: secondsOrNone,
  create_time: seconds,
});

export const userSetting = z.strictObject({
  notify_type: z.literal(["email", "webhook", "bark", "dingtalk", "gotify", "wecom", "wxpusher"]),
  events: z.array(
    z.literal(["quota_low", "price_change", "announcement", "promotion", "periodic_contact"]),
  ),
  quota_warning_threshold: z.int().min(1),
  notification_email: text,
  webhook_url: text,
  has_webhook_secret: flag,
  bark_url: text,
  gotify_url: text,
  has_gotify_token: flag,
  gotify_priority: z.int().min(0).max(10),
  has_wxpusher_token: flag,
  has_robot_key: flag,
  robot_type: z.literal(["", "dingtalk", "wecom"]),
});

export const status = z.strictObject({
  version: text.min(1),
  start_time: seconds,
  setup: flag,
  secure_cookies: flag,
  email_verification: flag,
  password_login_enabled: flag,
  password_register_enabled: flag,
  register_enabled: flag,
  github_oauth: flag,
  github_client_id: text,
  linuxdo_oauth: flag,
  linuxdo_client_id: text,
  telegram_oauth: flag,
  telegram_bot_name: text,
  wechat_login: flag,
  wechat_qrcode: text,
  oidc_enabled: flag,
  oidc_client_id: text,
  oidc_authorization_endpoint: text,
  turnstile_check: flag,
  turnstile_site_key: text,
  system_name: text.min(1),
  logo: text,
  footer_html: text,
  server_address: text,
  docs_link: text,
  top_up_link: text,
  price: z.number().positive(),
  min_topup: z.int().min(1),
  enable_online_topup: flag,
  quota_per_unit: z.number().positive(),
  agents_enabled: flag,
  quota_for_inviter: z.int().min(0),
  quota_for_invitee: z.int().min(0),
  display_in_currency: flag,
  enable_batch_update: flag,
  enable_drawing: flag,
  enable_task: flag,
  enable_data_export: flag,
  data_export_default_time: z.literal(["hour", "day", "week"]),
  default_collapse_sidebar: flag,
  mj_notify_enabled: flag,
  chats: z.array(z.record(text, text)),
  chat_link: text,
  chat_link2: text,
  demo_site_enabled: flag,
  demo_calls_enabled: flag,
  demo_tour_enabled: flag,
  commit: text,
  self_use_mode_enabled: flag,
});

export const token = z.strictObject({
  id: z.int().min(1),
  user_id: z.int().min(1),
  // A masked key. Consoles put `sk-` before it and tell rows apart by it.
  key: text.regex(/^[A-Za-z0-9]{4}••••[A-Za-z0-9]{4}$/),
  status: z.literal([1, 2, 3, 4]),
  name: text.min(1),
  created_time: seconds,
  accessed_time: seconds,
  expired_time: z.union([z.literal(-1), seconds]),
  remain_quota: count,
  unlimited_quota: flag,
  used_quota: count,
  model_limits_enabled: flag,
  model_limits: text,
  allow_ips: text,
  deny_ips: text,
  rate_limit_count: count,
  rate_limit_seconds: z.int().min(1).max(86_400),
  rate_limit_message: text,
  mj_mode: z.literal(["", "fast", "relax", "turbo"]),
  mj_proxy_method: z.literal(["", "prefix", "replace"]),
  mj_proxy_address: text,
  mj_backup_pool: flag,
  chat_links: text,
  tags: text,
  budget_day: count,
  budget_week: count,
  budget_month: count,
  budgets: z.array(
    z.strictObject({
      window: z.literal(["day", "week", "month"]),
      limit: count,
      spent: count,
      resets_at: seconds,
    }),
  ),
  old_key: text.regex(/^$|^[A-Za-z0-9]{4}••••[A-Za-z0-9]{4}$/),
  old_key_ends_at: z.union([z.literal(0), seconds]),
  group: text,
  DeletedAt: z.null(),
});

export const createdToken = token.extend({
  key: text.regex(new RegExp(`^[A-Za-z0-9]{${tokenKeyLength}}$`)),
});

/** A token in root's list of all users' tokens. */
export const namedToken = token.extend({ username: text.min(1) });

const jsonText = z.union([noText, text.startsWith("{")]);

export const channel = z.strictObject({
  id: z.int().min(1),
  type: count,
  key: noText,
  key_count: z.int().min(1),
  key_hints: z.array(text),
  openai_organization: text,
  test_model: text,
  status: z.literal([1, 2, 3]),
  name: text.min(1),
  weight: count,
  priority: whole,
  created_time: seconds,
  test_time: secondsOrNone,
  response_time: count,
  test_error: text,
  base_url: text,
  other: text,
  balance: z.number(),
  balance_updated_time: secondsOrNone,
  models: text,
  group: text,
  used_quota: count,
  model_mapping: jsonText,
  status_code_mapping: jsonText,
  auto_ban: z.literal([0, 1]),
  other_info: jsonText,
  tag: z.union([z.null(), text]),
  setting: jsonText,
  param_override: jsonText,
});

export const ownLog = z.strictObject({
  id: z.int().min(1),
  user_id: z.int().min(1),
  username: text.min(1),
  created_at: seconds,
  type: z.literal([1, 2, 3, 4, 5]),
  content: text,
  token_id: count,
  token_name: text,
  model_name: text,
  quota: count,
  prompt_tokens: count,
  completion_tokens: count,
  use_time: z.int().min(0).max(3_600),
  is_stream: flag,
  group: text,
  other: jsonText,
  channel: z.literal(0),
  channel_name: noText,
  request_id: text,
  usage_source: text,
  seen_output: count,
  price_version: count,
  losses: z.array(text),
  conversation_id: count,
  placement: text,
  moved_quota: count,
  tool_names: z.array(text),
  tags: z.array(text),
  ending: text,
  reversed: z.boolean(),
  refunded: count,
  rerated: z.number().int(),
});

export const log = ownLog.extend({
  channel: count,
  channel_name: text,
  upstream_request_id: text,
  candidates: text,
  write_off: count,
});

export const logStat = z.strictObject({ quota: count, rpm: count, tpm: count });

/** What a model cost in one hour; all users together have the id 0 and no name. */
export const quotaData = z.strictObject({
  id: count,
  user_id: count,
  username: text,
  model_name: text.min(1),
  created_at: seconds.multipleOf(3_600),
  token_used: count,
  count,
  quota: count,
});

export const pricingRow = z.strictObject({
  model_name: text.min(1),
  quota_type: z.literal([0, 1]),
  model_ratio: z.number().min(0),
  model_price: z.number().min(0),
  owner_by: text,
  completion_ratio: z.number().min(0),
  cache_ratio: z.number().min(0).optional(),
  create_cache_ratio: z.number().min(0).optional(),
  create_cache_ratio_1h: z.number().min(0).optional(),
  image_ratio: z.number().min(0).optional(),
  audio_ratio: z.number().min(0).optional(),
  audio_completion_ratio: z.number().min(0).optional(),
  enable_groups: z.array(text),
});

export const groupInfo = z.strictObject({
  ratio: z.number().min(0),
  desc: text,
  description: text,
});
