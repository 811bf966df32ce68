/** Writes and reads the tags of calls, which stand in a table beside the log. */

import { otherTag, tagLengthMax, tagValuesMax } from "@tollgate/contract/logs/tags.ts";
import { sql, type SqlBool } from "kysely";
import type { Db } from "#db/database.ts";
import { dialectOf } from "#db/dialect.ts";
import { inOrder } from "#db/pipeline.ts";
import type { LogTagTable } from "#db/tables/logs.ts";
import { daySeconds } from "#modules/logs/log-times.ts";

/** What is known of an inserted row when its tags are noted. */
export type TaggedRow = {
  readonly id: number;
  readonly created_at: number;
  readonly user_id: number;
  readonly tags: readonly string[];
};

/** How many tags one statement writes. */
const tagsAtOnce = 200;

/**
 * Adds the tags of rows, in the transaction that inserts them. No statement waits for the answer to
 * another: see `commitBehind` of `db/pipeline.ts`.
 */
export async function noteTags(tx: Db, rows: readonly TaggedRow[]): Promise<void> {
  if (rows.length === 0) return;
  const tags = new Map<string, LogTagTable>();
  for (const { id: log_id, created_at, tags: given, user_id } of rows) {
    for (const tag of given.map(storable)) {
      tags.set(`${log_id} ${tag}`, { log_id, tag, user_id, created_at });
    }
  }
  // Nodes write in the same order, so that they do not wait for each other in a circle.
  const sorted = [...tags.values()].toSorted(
    (a, b) => a.user_id - b.user_id || (a.tag < b.tag ? -1 : 1),
  );
  const statements: (() => Promise<unknown>)[] = [];
  for (let from = 0; from < sorted.length; from += tagsAtOnce) {
    const part = sorted.slice(from, from + tagsAtOnce);
    statements.push(async () => await noteDays(tx, part));
    statements.push(async () => await insertTags(tx, part));
  }
  await inOrder(tx, statements);
}

/** As the texts of a row; what a client sends must not prevent the settlement of its call. */
function storable(tag: string): string {
  return tag.replaceAll("\0", "\u{FFFD}").toWellFormed().slice(0, tagLengthMax);
}

/** The tags that are written, as a table of a statement. */
function givenOf(tx: Db, tags: readonly LogTagTable[]) {
  // Equal texts of different collations cannot be compared.
  const bytes = sql.raw(dialectOf(tx) === "postgres" ? ` collate "C"` : "");
  const values = tags.map(
    ({ created_at: at, log_id, tag, user_id }) =>
      sql`(cast(${log_id} as bigint), cast(${tag} as text)${bytes}, cast(${user_id} as bigint),
        cast(${at} as bigint), cast(${at - (at % daySeconds)} as bigint))`,
  );
  return sql`given (log_id, tag, user_id, created_at, day) as (values ${sql.join(values)})`;
}

/** Notes which tags a user's calls of a day have had, as long as there are not too many. */
async function noteDays(tx: Db, tags: readonly LogTagTable[]): Promise<void> {
  await sql`
    with ${givenOf(tx, tags)},
    fresh as (
      select user_id, day, tag from given
      where not exists (
        select 1 from tag_days
        where tag_days.user_id = given.user_id and tag_days.day = given.day
          and tag_days.tag = given.tag)
      group by user_id, day, tag
    ),
    counts as (
      select user_id, day, count(*) as count from tag_days
      where exists (
        select 1 from fresh where fresh.user_id = tag_days.user_id and fresh.day = tag_days.day)
      group by user_id, day
    ),
    numbered as (
      select fresh.user_id, fresh.day, fresh.tag,
        coalesce(counts.count, 0)
          + row_number() over (partition by fresh.user_id, fresh.day order by fresh.tag) as place
      from fresh
      left join counts on counts.user_id = fresh.user_id and counts.day = fresh.day
    )
    insert into tag_days (user_id, day, tag)
    select user_id, day, tag from numbered where place <= ${sql.lit(tagValuesMax)}
    on conflict do nothing`.execute(tx);
}

async function insertTags(tx: Db, tags: readonly LogTagTable[]): Promise<void> {
  await sql`
    with ${givenOf(tx, tags)}
    insert into log_tags (log_id, tag, user_id, created_at)
    select log_id,
      case when exists (
        select 1 from tag_days
        where tag_days.user_id = given.user_id and tag_days.day = given.day
          and tag_days.tag = given.tag)
      then tag else ${sql.lit(otherTag)} end,
      user_id, created_at
    from given where log_id > 0
    on conflict do nothing`.execute(tx);
}

/** How many ids one statement names. */
const idsAtOnce = 500;

/** Reads the tags of rows by the rows' ids, each row's in the order of their bytes. */
export async function readTags(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string[]>> {
  const tags = new Map<number, string[]>();
  for (let from = 0; from < ids.length; from += idsAtOnce) {
    const rows = await db
      .selectFrom("log_tags")
      .select(["log_id", "tag"])
      .where("log_id", "in", ids.slice(from, from + idsAtOnce))
      .orderBy("log_id")
      .orderBy("tag")
      .execute();
    for (const { log_id, tag } of rows) tags.set(log_id, [...(tags.get(log_id) ?? []), tag]);
  }
  return tags;
}

/** Removes the tags of rows that are removed, and the days that have no rows any more. */
export async function removeTags(tx: Db, ids: readonly number[], before: number): Promise<void> {
  const day = before - (before % daySeconds);
  await tx
    .deleteFrom("log_tags")
    .where("log_id", "in", [...ids])
    .execute();
  await tx
    .deleteFrom("tag_days")
    .where("day", "<", day)
    .where(sql<SqlBool>`not exists (select 1 from logs where logs.created_at < ${day})`)
    .execute();
}
