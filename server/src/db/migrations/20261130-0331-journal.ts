import { type Kysely, sql } from "kysely";
import { addId, createTable, type Dialect, wholeMax, wholeType } from "#db/dialect.ts";
import { texts, wholes } from "./20261121-1500-foundation.ts";

/**
 * Adds the journal: the facts of calls that have ended, which are written into the books later; up
 * to which record each node's are in the books; and what could not be written there.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  const table = db.schema
    .createTable("journal")
    .addColumn("node_id", "text", (column) => column.notNull());
  // Its rows come in the order of the key and go soon, so they need no second tree beside it.
  const own = dialect === "sqlite" ? table.modifyEnd(sql`strict, without rowid`) : table;
  await wholes(
    own.addColumn("seq", whole, (column) =>
      column.notNull().check(sql`seq between 0 and ${sql.lit(wholeMax)}`),
    ),
    whole,
    ["epoch", "format", "calls"],
  )
    .$call(texts("body", "sum"))
    .addPrimaryKeyConstraint("journal_key", ["node_id", "seq"])
    .execute();
  await wholes(createTable(db, dialect, "journal_heads"), whole, ["applied"])
    .addColumn("node_id", "text", (column) => column.primaryKey())
    .$call(texts("sum"))
    .execute();
  await wholes(addId(dialect, createTable(db, dialect, "journal_refused")), whole, [
    "seq",
    "place",
    "created_at",
  ])
    .$call(texts("node_id", "request_id", "kind", "reason", "body"))
    .execute();
}
