import { expect, test } from "bun:test";
import { type Kysely, sql } from "kysely";
import { openDatabase } from "./connection.ts";
import type { Db } from "./database.ts";
import { migrations } from "./migrations/index.ts";
import { createTestDatabase, testDialects } from "./testing/database.ts";

const migration = "20261129-2151-earlier-logs";

for (const dialect of testDialects) {
  for (const rows of [0, 3]) {
    test(`an update notes which log rows are of earlier versions, ${rows} of them: ${dialect}`, async () => {
      const { address, remove } = await createTestDatabase(dialect);
      const { db, close } = openDatabase(address, "writer", 60_000);
      try {
        for (const each of Object.keys(migrations)) {
          if (each === migration) await addRows(db, rows);
          // Cast to a database without table types, because these describe the newest schema only.
          await migrations[each]?.(db as unknown as Kysely<unknown>, dialect);
        }
        await addRows(db, 1);
        const noted = await db
          .selectFrom("meta")
          .select("value")
          .where("key", "=", "earlier_logs_end")
          .executeTakeFirst();
        expect(noted).toEqual({ value: String(rows) });
      } finally {
        await close();
        await remove();
      }
    });
  }
}

async function addRows(db: Db, count: number): Promise<void> {
  for (let row = 0; row < count; row += 1) {
    await sql`
      insert into logs (
        request_id, created_at, type, user_id, username, token_id, token_name, channel, model_name,
        "group", quota, write_off, prompt_tokens, completion_tokens, use_time, is_stream, content,
        other, client_ip, usage, usage_source, price_version, losses
      ) values (
        '', 1, 4, 1, '', 0, '', 0, '', '', 0, 0, 0, 0, 0, 0, '', '', '', '', '', 0, ''
      )`.execute(db);
  }
}
