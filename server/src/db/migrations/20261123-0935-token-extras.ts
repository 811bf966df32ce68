import { type Kysely, sql } from "kysely";
import { type Dialect, wholeMax, wholeType } from "#db/dialect.ts";

/**
 * Adds the settings of tokens beside quota, expiry and models: refused addresses, a rate limit, how
 * drawing tasks run, and chat clients.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  const wholes = { rate_limit_count: 0, rate_limit_seconds: 60, mj_backup_pool: 0 };
  for (const [name, fallback] of Object.entries(wholes)) {
    await db.schema
      .alterTable("tokens")
      .addColumn(name, whole, (column) =>
        column
          .notNull()
          .defaultTo(fallback)
          .check(sql`${sql.ref(name)} between 0 and ${sql.lit(wholeMax)}`),
      )
      .execute();
  }
  const texts = [
    "deny_ips",
    "rate_limit_message",
    "mj_mode",
    "mj_proxy_method",
    "mj_proxy_address",
    "chat_links",
  ];
  for (const name of texts) {
    await db.schema
      .alterTable("tokens")
      .addColumn(name, "text", (column) => column.notNull().defaultTo(""))
      .execute();
  }
}
