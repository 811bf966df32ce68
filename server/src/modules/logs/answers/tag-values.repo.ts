/** Lists the tags of the calls that a filter matches. */

import { facetValuesMax, type LogFacetValues } from "@tollgate/contract/endpoints/log-answers.ts";
import { sql, type SqlBool } from "kysely";
import type { Db } from "#db/database.ts";
import { dialectOf } from "#db/dialect.ts";
import { startsWith } from "#db/text-search.ts";
import { chargedNow, type LogFilter, matching } from "#modules/logs/log-filter.repo.ts";
import type { ChartTime } from "./bars.ts";
import { taggedMaxOf } from "./newest-tagged.repo.ts";

/**
 * Reads the tags of the calls that match, of the newest calls that have any. A call is counted for each of its tags, so their sums may be
 * more than those of the list.
 */
export async function readTagValues(
  db: Db,
  filter: LogFilter,
  { start, end }: ChartTime,
  prefix: string,
): Promise<LogFacetValues> {
  const any = await db.selectFrom("log_tags").select("log_id").limit(1).executeTakeFirst();
  // Without any, all rows of the time would be searched for them.
  if (any === undefined) return { values: [], more: 0 };
  const tags = db
    .selectFrom("log_tags")
    .select(["log_id", "tag"])
    .where("log_tags.created_at", ">=", start)
    .where("log_tags.created_at", "<", end)
    .$if(filter.userId !== null, (query) =>
      query.where("log_tags.user_id", "=", filter.userId ?? 0),
    )
    .$if(prefix !== "", (query) => query.where(startsWith("log_tags.tag", prefix)))
    .orderBy("log_tags.log_id", "desc")
    .limit(taggedMaxOf(filter));
  // The tags have the times of their calls; were these named twice, all rows of the time might be read.
  const rows = matching(db, { ...filter, start: 0, end: 0 })
    .where("reversed", "=", 0)
    .where(sql<SqlBool>`type in (2, 5)`);
  // Row by row on PostgreSQL, as `readTagged` of `log-rows.repo.ts` reads them.
  const one = rows
    .whereRef("logs.id", "=", sql.ref("tagged.log_id"))
    .select(chargedNow.as("quota"))
    .offset(0);
  const matched =
    dialectOf(db) === "postgres"
      ? db
          .selectFrom(tags.as("tagged"))
          .innerJoinLateral(one.as("one"), (join) => join.onTrue())
          .select(["tagged.tag as value", "one.quota"])
      : rows
          .innerJoin(tags.as("tagged"), "tagged.log_id", "logs.id")
          .select(["tagged.tag as value", chargedNow.as("quota")]);
  const found = await db
    .selectFrom(matched.as("matched"))
    .select("value")
    .select(({ fn }) => fn.countAll<number>().as("calls"))
    .select(sql<number>`coalesce(sum(quota), 0)`.as("quota"))
    .groupBy("value")
    .orderBy("calls", "desc")
    .orderBy("value")
    .execute();
  const shown = found.slice(0, facetValuesMax);
  const values = shown.map((one) => ({ ...one, name: one.value }));
  return { values, more: found.length - shown.length };
}
