import { expect, test } from "bun:test";
import type { Kysely } from "kysely";
import { openDatabase } from "./connection.ts";
import { migrations } from "./migrations/index.ts";
import { createTestDatabase, testDialects } from "./testing/database.ts";

const migration = "20261129-2017-shared-ids";

const settings = ["", '{"usage_trust":"visible"}'];

const scenes = [
  { name: "with one user", users: 1, selfUse: false, shares: true },
  {
    name: "with one user and a deleted one",
    users: 1,
    deleted: true,
    selfUse: false,
    shares: true,
  },
  { name: "for the own use", users: 2, selfUse: true, shares: true },
  { name: "with two users", users: 2, selfUse: false, shares: false },
];

for (const dialect of testDialects) {
  for (const { deleted = false, name, selfUse, shares, users } of scenes) {
    const words = shares ? "may go on" : "may not go on";
    test(`after an update, users of an installation ${name} ${words} naming files of its channels: ${dialect}`, async () => {
      const { address, remove } = await createTestDatabase(dialect);
      const { db, close } = openDatabase(address, "writer", 60_000);
      try {
        // Cast to a database without table types, because these describe the newest schema only.
        const untyped = db as unknown as Kysely<Record<string, Record<string, unknown>>>;
        for (const each of Object.keys(migrations)) {
          if (each === migration) {
            await fill(untyped, { users, deleted, selfUse });
          }
          await migrations[each]?.(untyped as never, dialect);
        }
        const rows = await db.selectFrom("channels").select("setting").orderBy("id").execute();
        const shared = shares ? { shares_ids: true } : {};
        expect(rows.map(({ setting }) => JSON.parse(setting || "{}"))).toEqual(
          settings.map((setting) => ({ ...JSON.parse(setting || "{}"), ...shared })),
        );
      } finally {
        await close();
        await remove();
      }
    });
  }
}

const zeroes = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 0]));
const blanks = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, ""]));

async function fill(
  db: Kysely<Record<string, Record<string, unknown>>>,
  { deleted, selfUse, users }: { users: number; deleted: boolean; selfUse: boolean },
): Promise<void> {
  const all: { readonly name: string; readonly at: string | null }[] = [];
  for (let index = 0; index < users; index += 1) all.push({ name: `user${index}`, at: null });
  if (deleted) all.push({ name: "gone", at: "2026-11-20T00:00:00Z" });
  for (const { at, name } of all) {
    const row = {
      ...zeroes("role", "status", "inviter_id", "create_time"),
      ...blanks("password_hash", "display_name", "email", "github_id", "oidc_id", "wechat_id"),
      ...blanks("telegram_id", "linux_do_id", "group"),
    };
    const own = { username: name, username_key: name, aff_code: name, DeletedAt: at };
    await db
      .insertInto("users")
      .values({ ...row, ...own })
      .execute();
  }
  for (const setting of settings) {
    const row = {
      ...zeroes("type", "status", "weight", "auto_ban", "created_time", "test_time", "balance"),
      ...zeroes("response_time", "balance_updated_time", "priority"),
      ...blanks("name", "base_url", "other", "models", "group", "model_mapping", "test_model"),
      ...blanks("status_code_mapping", "param_override", "other_info", "openai_organization"),
    };
    await db
      .insertInto("channels")
      .values({ ...row, setting })
      .execute();
  }
  if (!selfUse) return;
  await db.insertInto("options").values({ key: "SelfUseModeEnabled", value: "true" }).execute();
}
