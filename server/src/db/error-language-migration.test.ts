import { expect, test } from "bun:test";
import type { Kysely } from "kysely";
import { openDatabase } from "./connection.ts";
import { migrations } from "./migrations/index.ts";
import { createTestDatabase, testDialects } from "./testing/database.ts";

const migration = "20261130-0219-error-language";

const scenes = [
  { name: "of a new installation has no language chosen", users: 0, before: null, after: null },
  { name: "with users stays Chinese", users: 1, before: null, after: "zh" },
  { name: "set up in English stays English", users: 1, before: "en", after: "en" },
];

for (const dialect of testDialects) {
  for (const { name, users, before, after } of scenes) {
    test(`after an update, the option of error messages ${name}: ${dialect}`, async () => {
      const { address, remove } = await createTestDatabase(dialect);
      const { db, close } = openDatabase(address, "writer", 60_000);
      try {
        // Cast to a database without table types, because these describe the newest schema only.
        const untyped = db as unknown as Kysely<Record<string, Record<string, unknown>>>;
        for (const each of Object.keys(migrations)) {
          if (each === migration) {
            if (users > 0) await addUser(untyped);
            if (before !== null) await choose(untyped, before);
          }
          await migrations[each]?.(untyped as never, dialect);
        }
        const row = await db
          .selectFrom("options")
          .select("value")
          .where("key", "=", "ApiErrorLanguage")
          .executeTakeFirst();
        expect(row?.value ?? null).toBe(after);
      } finally {
        await close();
        await remove();
      }
    });
  }
}

async function choose(
  db: Kysely<Record<string, Record<string, unknown>>>,
  value: string,
): Promise<void> {
  await db.insertInto("options").values({ key: "ApiErrorLanguage", value }).execute();
}

const zeroes = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 0]));
const blanks = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, ""]));

async function addUser(db: Kysely<Record<string, Record<string, unknown>>>): Promise<void> {
  const row = {
    ...zeroes("role", "status", "inviter_id", "create_time"),
    ...blanks("password_hash", "display_name", "email", "github_id", "oidc_id", "wechat_id"),
    ...blanks("telegram_id", "linux_do_id", "group"),
  };
  await db
    .insertInto("users")
    .values({ ...row, username: "root", username_key: "root", aff_code: "root" })
    .execute();
}
