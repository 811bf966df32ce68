/** Writes the sums of calls that did not end with a whole answer: by hour, and by how they ended. */

import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import { inOrder } from "#db/pipeline.ts";
import type { EndingHourTable } from "#db/tables/ending-hours.ts";
import type { CallLogRow } from "#modules/logs/log-fields.ts";
import { hourSeconds, startOfHour } from "#modules/logs/log-times.ts";
import { endingOf } from "./ending.ts";

/** How many rows one statement writes. */
const rowsAtOnce = 200;

/** Adds rows of the log to the sums, in the transaction that inserts them. */
export async function noteEndings(tx: Db, rows: readonly EndedRow[]): Promise<void> {
  const hours = new Map<string, EndingHourTable>();
  for (const row of rows) {
    const ending = endingOf(row);
    if (ending === "") continue;
    const { id, created_at: at } = row;
    const place = placeOf(row, ending);
    const key = JSON.stringify(place);
    const sum = hours.get(key);
    if (sum === undefined) {
      hours.set(key, { ...place, calls: 1, first_at: at, last_at: at, last_id: id });
      continue;
    }
    sum.calls += 1;
    sum.first_at = Math.min(sum.first_at, at);
    sum.last_at = Math.max(sum.last_at, at);
    sum.last_id = Math.max(sum.last_id, id);
  }
  if (hours.size === 0) return;
  // Nodes write in the same order, so that they do not wait for each other in a circle.
  const sorted = [...hours].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sums]) => sums);
  const parts = Array.from({ length: Math.ceil(sorted.length / rowsAtOnce) }, (_, part) =>
    sorted.slice(part * rowsAtOnce, (part + 1) * rowsAtOnce),
  );
  await inOrder(
    tx,
    parts.map((part) => async () => await upsert(tx, part)),
  );
}

async function upsert(tx: Db, rows: readonly EndingHourTable[]): Promise<void> {
  const either = (column: "first_at" | "last_at" | "last_id", sign: "<" | ">") => {
    const [old, given] = [sql.ref(`ending_hours.${column}`), sql.ref(`excluded.${column}`)];
    return sql<number>`case when ${old} ${sql.raw(sign)} ${given} then ${old} else ${given} end`;
  };
  await tx
    .insertInto("ending_hours")
    .values([...rows])
    .onConflict((conflict) =>
      conflict
        .columns(["hour", "user_id", "token_id", "channel_id", "model_name", "group", "ending"])
        .doUpdateSet({
          calls: sql<number>`ending_hours.calls + excluded.calls`,
          first_at: either("first_at", "<"),
          last_at: either("last_at", ">"),
          last_id: either("last_id", ">"),
        }),
    )
    .execute();
}

/**
 * Takes out calls whose charge is about to be given back: no sum has them any more. There are few,
 * so what is left of each hour is summed anew from its rows.
 */
export async function dropEndings(tx: Db, logIds: readonly number[]): Promise<void> {
  // Locked whatever their ending, because a row of an earlier version may get it at this moment.
  const query = tx
    .selectFrom("logs")
    .select(["created_at", "user_id", "token_id", "channel", "model_name", "group", "ending"])
    .where("id", "in", [...logIds])
    .orderBy("id");
  const rows = await lockRows(tx, query).execute();
  const ended = rows.filter(({ ending }) => ending !== "");
  const places = new Map(
    ended.map((row) => {
      const place = placeOf(row, row.ending);
      return [JSON.stringify(place), place] as const;
    }),
  );
  for (const place of places.values()) await sumAnew(tx, place, logIds);
}

type Place = ReturnType<typeof placeOf>;

async function sumAnew(tx: Db, place: Place, without: readonly number[]): Promise<void> {
  const { hour, user_id, token_id, channel_id, model_name, group, ending } = place;
  let removed = tx.deleteFrom("ending_hours").where("hour", "=", hour);
  for (const [name, value] of Object.entries(place)) {
    removed = removed.where(sql.ref(name), "=", value);
  }
  await removed.execute();
  const left = await tx
    .selectFrom("logs")
    .select(({ fn }) => [
      fn.countAll<number>().as("calls"),
      fn.min<number | null>("created_at").as("first_at"),
      fn.max<number | null>("created_at").as("last_at"),
      fn.max<number | null>("id").as("last_id"),
    ])
    .where("user_id", "=", user_id)
    .where("created_at", ">=", hour)
    .where("created_at", "<", hour + hourSeconds)
    .where("token_id", "=", token_id)
    .where("channel", "=", channel_id)
    .where("model_name", "=", model_name)
    .where("group", "=", group)
    .where("ending", "=", ending)
    .where("reversed", "=", 0)
    .where("id", "not in", [...without])
    .executeTakeFirstOrThrow();
  const { calls, first_at, last_at, last_id } = left;
  if (first_at === null || last_at === null || last_id === null) return;
  await upsert(tx, [{ ...place, calls, first_at, last_at, last_id }]);
}

type Placed = Pick<
  CallLogRow,
  "channel" | "created_at" | "group" | "model_name" | "token_id" | "user_id"
>;

/** What the sums take of a row. */
type EndedRow = Pick<CallLogRow, "content" | "other" | "type"> & Placed & { readonly id: number };

function placeOf(
  { created_at, user_id, token_id, channel, model_name, group }: Placed,
  ending: string,
) {
  const hour = startOfHour(created_at);
  return { hour, user_id, token_id, channel_id: channel, model_name, group, ending };
}
