import { expect, test } from "bun:test";
import type { Kysely } from "kysely";
import { verifyAudit } from "#modules/audit/audit.ts";
import { findNotedFlaw } from "#modules/proof/proof-noted.ts";
import { openDatabase } from "#db/connection.ts";
import { migrations } from "#db/migrations/index.ts";
import { createTestDatabase, testDialects } from "#db/testing/database.ts";

const migration = "20261129-0413-noted-rows";

const ofUser = {
  password_hash: "",
  display_name: "",
  email: "",
  github_id: "",
  oidc_id: "",
  wechat_id: "",
  telegram_id: "",
  linux_do_id: "",
  create_time: 9,
  DeletedAt: null,
};

/** They get the ids 1, 2 and 3, as do the tokens. */
const users = [
  { username: "root", role: 100, inviter_id: 0 },
  { username: "a name of more than forty characters, all of them plain", inviter_id: 1 },
  { username: "gone", inviter_id: 1, DeletedAt: "2026-11-01T00:00:00.000Z" },
].map((user, index) => ({
  ...ofUser,
  role: 1,
  status: index === 1 ? 2 : 1,
  group: "default",
  aff_code: `code${index}`,
  username_key: user.username,
  access_token_lookup: null,
  ...user,
}));

const tokens = [
  { unlimited_quota: 0, status: 4, model_limits: "m,".repeat(40), budget_week: 9 },
  { unlimited_quota: 1, status: 2, model_limits: "", budget_week: 0 },
  { unlimited_quota: 1, status: 1, model_limits: "", budget_week: 0 },
].map((token, index) => ({
  user_id: 2,
  name: `token ${index}`,
  lookup: `l${index}`,
  sealed: "s",
  hint: "h",
  created_time: 9,
  accessed_time: 10,
  expired_time: -1,
  model_limits_enabled: 0,
  allow_ips: "",
  deny_ips: "",
  group: "",
  DeletedAt: null,
  budget_day: 0,
  budget_month: 0,
  rate_limit_count: 0,
  rate_limit_seconds: 60,
  rate_limit_message: "",
  chat_links: "",
  mj_mode: "",
  mj_proxy_method: "",
  mj_proxy_address: "",
  mj_backup_pool: 0,
  ...token,
}));

const topUp = {
  request_id: "",
  created_at: 11,
  type: 1,
  user_id: 2,
  username: "x",
  token_id: 0,
  token_name: "",
  channel: 0,
  model_name: "",
  group: "",
  quota: 0,
  write_off: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  use_time: 0,
  is_stream: 0,
  content: "充值 5",
  other: "",
  client_ip: "::1",
  usage: "",
  usage_source: "",
  price_version: 0,
  losses: "",
};

test.each(testDialects)(
  "after an update every row that the audit log proves is right, and a change of it is named: %s",
  async (dialect) => {
    const { address, remove } = await createTestDatabase(dialect);
    const { db, close } = openDatabase(address, "writer", 60_000);
    try {
      // Cast to a database without table types, because these describe the newest schema only.
      const untyped = db as unknown as Kysely<Record<string, Record<string, unknown>>>;
      const insert = async (table: string, rows: readonly object[]) =>
        void (await untyped
          .insertInto(table)
          .values(rows.map((row) => ({ ...row })))
          .execute());
      for (const name of Object.keys(migrations)) {
        if (name === migration) {
          await insert("users", users);
          await insert("affiliates", [{ user_id: 1, aff_count: 2 }]);
          await insert("tokens", tokens);
          await insert("token_balances", [
            { token_id: 1, granted: 50, remain: 20, used: 30, held: 0 },
            { token_id: 2, granted: 70, remain: 0, used: 70, held: 0 },
            { token_id: 3, granted: 90, remain: 60, used: 30, held: 0 },
          ]);
          await insert("agents", [
            {
              user_id: 1,
              state: "approved",
              rate_bp: -1,
              requested_at: 5,
              approved_at: 6,
              hash: "",
            },
          ]);
          await insert("dividend_days", [
            { day: 0, claimed_by: "a", claimed_until: 9, closed_at: 12 },
            { day: 1, claimed_by: "b", claimed_until: 9, closed_at: 0 },
          ]);
          await insert("logs", [topUp, { ...topUp, type: 4 }]);
        }
        await migrations[name]?.(untyped as never, dialect);
      }
      expect(await findNotedFlaw(db)).toBeNull();
      // 3 users, 3 tokens, an agent, a day that is closed and a top-up.
      expect(await verifyAudit(db)).toEqual({ ok: true, count: 9 });
      await untyped.updateTable("tokens").set({ budget_week: 8 }).where("id", "=", 1).execute();
      expect(await findNotedFlaw(db)).toMatchObject({ table: "tokens", row: "id=1" });
    } finally {
      await close();
      await remove();
    }
  },
);
