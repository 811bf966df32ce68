/**
 * Bounds what is read of a tag that many calls have: of these only the newest are searched for what
 * else a filter names.
 */

import type { Db } from "#db/database.ts";
import { type LogFilter, taggedSo } from "#modules/logs/log-filter.repo.ts";
import { isOfTagAlone } from "#modules/logs/log-rows.repo.ts";
import { withTokens } from "#modules/logs/token-names.repo.ts";

/** How many of the newest calls with a tag are searched. */
const taggedRowsMax = 500_000;

export function taggedMaxOf({ taggedMax = taggedRowsMax }: LogFilter): number {
  return taggedMax;
}

/** Does the same for a list of rows, of which a tag alone needs no more than are listed. */
export async function boundList(db: Db, given: LogFilter): Promise<LogFilter | null> {
  return isOfTagAlone(given) ? await withTokens(db, given) : await boundFilter(db, given);
}

/**
 * Looks up the tokens of a filter, and lets it begin later if more calls have its tag than are
 * searched. This reads the index of tags alone, which has calls in the order of their times.
 * @returns null: no row can match.
 */
export async function boundFilter(db: Db, given: LogFilter): Promise<LogFilter | null> {
  const filter = await withTokens(db, given);
  if (filter === null || (filter.tag ?? "") === "") return filter;
  const last = await db
    .selectFrom("log_tags")
    .select("created_at")
    .where(taggedSo(filter))
    .orderBy("created_at", "desc")
    .orderBy("log_id", "desc")
    .limit(1)
    .offset(taggedMaxOf(filter))
    .executeTakeFirst();
  if (last === undefined) return filter;
  return { ...filter, start: last.created_at + 1, isCut: true };
}
