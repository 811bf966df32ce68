import { type Kysely, sql } from "kysely";
import { hashText } from "#base/secrets.ts";

/** The tables whose rows get a hash: their keys, and the columns that it covers, in its order. */
const tables = [
  {
    table: "agents",
    keys: ["user_id"],
    columns: ["user_id", "state", "rate_bp", "requested_at", "approved_at"],
  },
  {
    table: "agent_invitees",
    keys: ["invitee_id"],
    columns: ["invitee_id", "spent_before", "counted"],
  },
  {
    table: "dividends",
    keys: ["day", "invitee_id"],
    columns: [
      "day",
      "invitee_id",
      "agent_id",
      "spent",
      "paid",
      "base",
      "rate_bp",
      "dividend",
      "created_at",
    ],
  },
  {
    table: "order_refunds",
    keys: ["id"],
    columns: [
      "id",
      "order_id",
      "kind",
      "external_id",
      "money",
      "quota",
      "state",
      "reason",
      "answer",
      "created_by",
      "created_at",
      "ended_at",
    ],
  },
  {
    table: "redemptions",
    keys: ["id"],
    columns: [
      "user_id",
      "name",
      "lookup",
      "sealed",
      "quota",
      "status",
      "group",
      "batch_id",
      "user_limit",
      "expired_time",
      "created_time",
      "redeemed_time",
      "used_user_id",
      "DeletedAt",
    ],
  },
] as const;

type Row = Readonly<Record<string, number | string | null>>;

/** The number of rows that are read at a time. */
const pageRows = 500;

/** Adds a hash to refunds, codes, agents and dividends, so that the audit finds altered rows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const { table, keys, columns } of tables) {
    await db.schema
      .alterTable(table)
      .addColumn("hash", "text", (column) => column.notNull().defaultTo(""))
      .execute();
    const order = sql.join(keys.map((key) => sql.ref(key)));
    for (;;) {
      const { rows } = await sql<Row>`
        select * from ${sql.table(table)} where hash = '' order by ${order} limit ${pageRows}
      `.execute(db);
      for (const row of rows) {
        const hash = hashText(JSON.stringify(columns.map((column) => row[column])));
        const isRow = sql.join(
          keys.map((key) => sql`${sql.ref(key)} = ${row[key]}`),
          sql` and `,
        );
        await sql`update ${sql.table(table)} set hash = ${hash} where ${isRow}`.execute(db);
      }
      if (rows.length < pageRows) break;
    }
  }
}
