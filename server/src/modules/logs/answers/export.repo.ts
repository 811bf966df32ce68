/** Reads the rows of a list for a file: first which, so that rows that come later are none of it. */

import { exportRowsMax } from "@tollgate/contract/endpoints/log-answers.ts";
import type { Db } from "#db/database.ts";
import { type LogFilter, matching } from "#modules/logs/log-filter.repo.ts";
import { newestFirst } from "#modules/logs/log-rows.repo.ts";
import { type NamedLogRow, withNames } from "#modules/logs/logs.repo.ts";
import { boundList } from "./newest-tagged.repo.ts";

/** Lists the ids of all rows of a list in its order, and one more where there are too many. */
export async function listLogIds(
  db: Db,
  given: LogFilter,
  limit = exportRowsMax + 1,
): Promise<number[]> {
  const filter = await boundList(db, given);
  if (filter === null) return [];
  const rows = await newestFirst(db, matching(db, filter).select("logs.id"), filter)
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Reads rows in the order of their ids in the list; those that were removed are left out. */
export async function readLogRows(db: Db, ids: readonly number[]): Promise<NamedLogRow[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom("logs")
    .selectAll()
    .where("id", "in", [...ids])
    .execute();
  const known = new Map((await withNames(db, rows)).map((row) => [row.id, row]));
  return ids.flatMap((id) => known.get(id) ?? []);
}
