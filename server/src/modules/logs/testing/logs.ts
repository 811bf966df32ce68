/**
 * Test helpers for the usage log: its handlers over a database with some users, tokens and
 * channels.
 */

import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import { openLogger } from "#base/logger.ts";
import type { Db } from "#db/database.ts";
import type { Dialect } from "#db/dialect.ts";
import { bindStore } from "#db/store.ts";
import { openTestDatabase } from "#db/testing/database.ts";
import type { Caller } from "#http/handler.ts";
import { answerHandlers } from "#modules/logs/answers.handlers.ts";
import { openLogCleaner } from "#modules/logs/cleaning/log-cleaner.ts";
import { logHandlers } from "#modules/logs/logs.handlers.ts";
import { logStore } from "#modules/logs/logs.store.ts";
import { blankRow, type CallLogRow } from "#modules/logs/logs.ts";

export const person = { clientIp: "203.0.113.9", sessionId: null, requestId: "r" };
export const root: Caller = { ...person, userId: 1, role: 100, username: "root" };
export const admin: Caller = { ...person, userId: 2, role: 10, username: "admin" };
export const alice: Caller = { ...person, userId: 7, role: 1, username: "alice" };

/** The time of the tests in Unix seconds: 20 minutes after a full hour. */
export const now = 1_800_001_200;
export const hour = 3_600;

const other = JSON.stringify({ frt: 640, admin_info: { use_channel: ["5", "3"] } });
export const call: CallLogRow = {
  ...blankRow,
  request_id: "req-1",
  created_at: now,
  type: 2,
  user_id: 7,
  username: "alice",
  token_id: 11,
  token_name: "laptop",
  channel: 3,
  model_name: "gpt-4o",
  group: "default",
  quota: 275,
  write_off: 4,
  prompt_tokens: 100,
  completion_tokens: 30,
  use_time: 2,
  is_stream: 1,
  content: "模型倍率 1.25",
  other,
  client_ip: "203.0.113.9",
  usage: "{}",
  usage_source: "upstream",
  price_version: 1,
  losses: '["temperature"]',
  seen_output: 31,
};

/**
 * Opens the handlers over a database with some users, tokens and channels. Their clock stands at
 * `now`.
 */
export async function openLogs(dialect: Dialect) {
  const { db, close } = await openTestDatabase(dialect);
  // The other users and tokens only take up ids, which the database numbers from 1: alice gets 7
  // and bob 8, their tokens get 11 and 12.
  await addUsers(db, ["root", "admin", "c", "d", "e", "f", "alice", "bob"]);
  await addTokens(db, [..."123456789a".split(""), "laptop of alice", "bobs"]);
  await addChannels(db, ["first", "second", "main"]);
  await db
    .insertInto("token_names")
    .values([
      { name: "laptop", token_id: 11, user_id: 7 },
      { name: "phone", token_id: 11, user_id: 7 },
      { name: "bobs", token_id: 12, user_id: 8 },
    ])
    .execute();
  // Each reading of the clock moves it forward by `stepMs`.
  const clock = { ms: now * 1_000, stepMs: 0 };
  const token = {
    id: 12,
    name: "bobs",
    expiredTime: -1,
    keyEndsAt: 0,
    unlimitedQuota: true,
    modelLimits: null,
  };
  const store = bindStore(logStore, db);
  const transcripts = { removeBefore: async () => 0 };
  const tick = () => (clock.ms += clock.stepMs);
  const daysKept = { count: 0 };
  const cleaner = openLogCleaner({
    store,
    transcripts,
    daysKept: () => daysKept.count,
    now: tick,
    log: openLogger("silent"),
  });
  const lookupOf = (key: string): string => `lookup of ${key}`;
  const judgeKey = async (key: string) => ({ ...token, lookup: lookupOf(key) });
  const handlers = [
    ...logHandlers({ store, transcripts, cleaner, lookupOf, judgeKey, now: tick }),
    ...answerHandlers({ store, lookupOf, zone: () => "UTC", now: tick, wait: async () => {} }),
  ];
  const ask = async (endpoint: Endpoint, input: object, caller: Caller): Promise<unknown> =>
    await handlers.find((handler) => handler.endpoint === endpoint)?.run(input, caller);
  return { db, store, close, ask, clock, cleaner, daysKept };
}

/** Adds rows to the hourly roll-up, as the ledger does with each settlement. */
export async function addHours(db: Db, rows: readonly CallLogRow[]): Promise<void> {
  for (const { created_at, user_id, token_id, channel, model_name, group, quota } of rows) {
    const key = { user_id, token_id, channel_id: channel, model_name, group };
    const counts = { request_count: 1, prompt_tokens: 100, completion_tokens: 30 };
    await db
      .insertInto("usage_hours")
      .values({ ...key, ...counts, hour: created_at - (created_at % hour), quota })
      .onConflict((conflict) =>
        conflict
          .columns(["hour", "user_id", "token_id", "channel_id", "model_name", "group"])
          .doUpdateSet((eb) => ({
            quota: eb("usage_hours.quota", "+", quota),
            request_count: eb("usage_hours.request_count", "+", 1),
          })),
      )
      .execute();
  }
}

export async function addUsers(db: Db, names: readonly string[]): Promise<void> {
  const none = { password_hash: "", display_name: "", email: "", github_id: "", oidc_id: "" };
  const more = { wechat_id: "", telegram_id: "", linux_do_id: "", group: "default" };
  const numbers = { role: 1, status: 1, inviter_id: 0, create_time: 0 };
  await db
    .insertInto("users")
    .values(
      names.map((username) => ({ ...none, ...more, ...numbers, username, aff_code: username })),
    )
    .execute();
}

async function addTokens(db: Db, keys: readonly string[]): Promise<void> {
  const texts = { name: "", sealed: "", hint: "", model_limits: "", allow_ips: "", group: "" };
  const numbers = { status: 1, created_time: 0, accessed_time: 0, expired_time: -1 };
  const flags = { unlimited_quota: 1, model_limits_enabled: 0 };
  const limits = { deny_ips: "", rate_limit_count: 0, rate_limit_seconds: 60 };
  const drawing = { mj_mode: "", mj_proxy_method: "", mj_proxy_address: "", mj_backup_pool: 0 };
  const budgets = { budget_day: 0, budget_week: 0, budget_month: 0 };
  const more = { ...limits, ...drawing, ...budgets, rate_limit_message: "", chat_links: "" };
  await db
    .insertInto("tokens")
    .values(
      keys.map((key) => ({
        ...texts,
        ...more,
        ...numbers,
        ...flags,
        lookup: `lookup of ${key}`,
        user_id: key === "bobs" ? 8 : 7,
      })),
    )
    .execute();
}

async function addChannels(db: Db, names: readonly string[]): Promise<void> {
  const texts = { base_url: "", other: "", models: "", group: "", model_mapping: "" };
  const json = { status_code_mapping: "", param_override: "", setting: "", other_info: "" };
  const numbers = { type: 1, status: 1, priority: 0, weight: 0, auto_ban: 1, created_time: 0 };
  const tests = { test_time: 0, response_time: 0, balance: 0, balance_updated_time: 0 };
  const more = { openai_organization: "", test_model: "" };
  await db
    .insertInto("channels")
    .values(names.map((name) => ({ ...texts, ...json, ...numbers, ...tests, ...more, name })))
    .execute();
}
