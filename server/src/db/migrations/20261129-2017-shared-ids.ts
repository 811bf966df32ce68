import { type Kysely, sql } from "kysely";
import type { Dialect } from "#db/dialect.ts";

/**
 * Lets every user of the present channels go on naming what their upstreams keep, where there is
 * nobody to keep it from: in installations for the own use, and in those with one user. Elsewhere
 * the setting stays off, and users may only name what an answer has given them.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const given = sql`case when setting = '' then '{}' else setting end`;
  const shared =
    dialect === "sqlite"
      ? sql`json_set(${given}, '$.shares_ids', json('true'))`
      : sql`((${given})::jsonb || '{"shares_ids":true}'::jsonb)::text`;
  await sql`
    update channels set setting = ${shared}
    where (select count(*) from users where "DeletedAt" is null) <= 1
      or exists (
        select 1 from options where key = 'SelfUseModeEnabled' and value = 'true'
      )
  `.execute(db);
}
