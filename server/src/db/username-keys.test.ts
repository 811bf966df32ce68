import { expect, test } from "bun:test";
import { sql } from "kysely";
import { openDatabase } from "./connection.ts";
import { migrations } from "./migrations/index.ts";
import { createTestDatabase, testDialects } from "./testing/database.ts";

const migration = "20261123-0150-username-keys";

test.each(testDialects)(
  "an update keeps accounts whose names differ only in form: %s",
  async (dialect) => {
    const { address, remove } = await createTestDatabase(dialect);
    const { db, close } = openDatabase(address, "writer", 60_000);
    try {
      const untyped = db.withTables<Record<string, Record<string, unknown>>>();
      const before = Object.keys(migrations).filter((name) => name < migration);
      // Casts the database to one without table types, because these describe the newest schema
      // only.
      for (const name of before) await migrations[name]?.(db as never, dialect);
      const names = ["Bob", "alice", "bob", "ＢＯＢ", "Ünal"];
      // Creates more users than the migration updates in one batch.
      for (let count = names.length; count < 1_003; count += 1) names.push(`user${count}`);
      await untyped
        .insertInto("users")
        .values(names.map((username, index) => ({ ...columns, username, aff_code: `${index}` })))
        .execute();
      await migrations[migration]?.(db as never, dialect);

      const rows = await untyped
        .selectFrom("users")
        .select(["username", "username_key"])
        .orderBy("id")
        .execute();
      const first = rows.slice(0, 5).map(({ username, username_key }) => [username, username_key]);
      expect(first).toEqual([
        ["Bob", "bob"],
        ["alice", "alice"],
        ["bob", null],
        ["ＢＯＢ", null],
        ["Ünal", "ünal"],
      ]);
      expect(rows.filter(({ username_key }) => username_key === null)).toHaveLength(2);
      await expect(
        sql`update users set username_key = 'bob' where username = 'alice'`.execute(db),
      ).rejects.toThrow();
    } finally {
      await close();
      await remove();
    }
  },
);

const columns = {
  password_hash: "",
  display_name: "",
  email: "",
  github_id: "",
  oidc_id: "",
  wechat_id: "",
  telegram_id: "",
  linux_do_id: "",
  group: "default",
  role: 1,
  status: 1,
  inviter_id: 0,
  create_time: 0,
};
