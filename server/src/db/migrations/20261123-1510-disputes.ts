import type { Kysely } from "kysely";

/** Adds disputes to refunds, and by what a processor knows a payment that is open. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const added = [
    ["order_polls", "reference", ""],
    ["order_refunds", "kind", "refund"],
    ["order_refunds", "external_id", ""],
  ] as const;
  for (const [table, name, value] of added) {
    await db.schema
      .alterTable(table)
      .addColumn(name, "text", (column) => column.notNull().defaultTo(value))
      .execute();
  }
}
