import { type Kysely, sql } from "kysely";
import type { Dialect } from "#db/dialect.ts";

/** Notes the last log row that is there: versions before this one have charged some calls wrongly. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const last = sql`coalesce(max(id), 0)`;
  const text = dialect === "sqlite" ? sql`cast(${last} as text)` : sql`(${last})::text`;
  await sql`
    insert into meta (key, value) select 'earlier_logs_end', ${text} from logs
  `.execute(db);
}
