/**
 * Writes sums of calls: the counters, and the only roll-up. On SQLite each row is a prepared
 * statement, on PostgreSQL all rows of a table are one statement.
 */

import { type RawBuilder, type Selectable, sql } from "kysely";
import type { Db } from "#db/database.ts";
import { whole } from "#db/dialect.ts";
import { inOrder } from "#db/pipeline.ts";
import { insertText, preparedOf } from "#db/prepared.ts";
import type { CounterTable, UsageHourTable } from "#db/tables/ledger.ts";

export type HourRow = Selectable<UsageHourTable>;
export type CounterRow = Selectable<CounterTable>;

type SumRow = Readonly<Record<string, number | string>>;

/** A table of sums: its key, what is added up, and the statements that write one row. */
type SumTable = {
  readonly name: "counters" | "usage_hours";
  readonly key: readonly string[];
  readonly sums: readonly string[];
  readonly upsertText: string;
  readonly addText: string;
};

const costs = ["cost", "costed_quota", "costed_count"];
const counts = ["request_count", "prompt_tokens", "completion_tokens", ...costs];
const counterTable = tableOf("counters", ["kind", "id"], ["used_quota", ...counts]);
const hourTable = tableOf(
  "usage_hours",
  ["hour", "user_id", "token_id", "channel_id", "model_name", "group"],
  ["quota", ...counts],
);

/**
 * Writes the SQL texts for a table. The upsert inserts a row, or adds the row's sums to the row with
 * the same key.
 */
function tableOf(
  name: SumTable["name"],
  key: readonly string[],
  sums: readonly string[],
): SumTable {
  const conflict = key.map((column) => `"${column}"`).join(", ");
  const upserted = sums.map((sum) => `${sum} = ${name}.${sum} + excluded.${sum}`).join(", ");
  const insert = insertText(name, [...key, ...sums]);
  const added = sums.map((sum) => `${sum} = ${sum} + ?`).join(", ");
  const same = key.map((column) => `"${column}" = ?`).join(" and ");
  return {
    name,
    key,
    sums,
    upsertText: `${insert} on conflict (${conflict}) do update set ${upserted}`,
    addText: `update ${name} set ${added} where ${same}`,
  };
}

/**
 * Writes sums of which some are negative. An upsert cannot write these, because the database checks
 * the negative values of the new row before it finds the existing row to add them to. So they are
 * added to rows that are there. All rows are locked before, in the order in which upserts lock them.
 */
export async function addSums(
  tx: Db,
  counters: readonly CounterRow[],
  hours: readonly HourRow[],
): Promise<void> {
  await inOrder(tx, [
    async () => await lockSums(tx, counterTable, counters),
    async () =>
      await upsertCounters(
        tx,
        counters.filter((row) => !falls(row.used_quota, row)),
      ),
    async () =>
      await addEach(
        tx,
        counterTable,
        counters.filter((row) => falls(row.used_quota, row)),
      ),
    async () => await lockSums(tx, hourTable, hours),
    async () =>
      await upsertHours(
        tx,
        hours.filter((row) => !falls(row.quota, row)),
      ),
    async () =>
      await addEach(
        tx,
        hourTable,
        hours.filter((row) => falls(row.quota, row)),
      ),
  ]);
}

/** Locks rows in the given order. On SQLite a transaction is alone. */
async function lockSums(tx: Db, table: SumTable, rows: readonly SumRow[]): Promise<void> {
  if (rows.length === 0 || preparedOf(tx) !== undefined) return;
  const { name, key } = table;
  const values = rows.map((row, at) => sql`(${sql.join([...valuesOf(row, key), whole(at)])})`);
  const query = sql`
    select 1 from ${sql.table(name)} join (values ${sql.join(values)}) as v on ${isSame(table)}
    order by v.${sql.ref(`column${key.length + 1}`)} for update of ${sql.table(name)}`;
  await query.execute(tx);
}

/** Adds to rows that are there. */
async function addEach(tx: Db, table: SumTable, rows: readonly SumRow[]): Promise<void> {
  if (rows.length === 0) return;
  const { name, key, sums, addText } = table;
  const prepared = preparedOf(tx);
  if (prepared !== undefined) {
    for (const row of rows) prepared.run(addText, valuesIn(row, [...sums, ...key]));
    return;
  }
  const values = rows.map((row) => sql`(${sql.join(valuesOf(row, [...key, ...sums]))})`);
  const added = sums.map((sum, at) => {
    const column = sql.ref(`v.column${key.length + at + 1}`);
    return sql`${sql.ref(sum)} = ${sql.ref(`${name}.${sum}`)} + ${column}`;
  });
  const query = sql`
    update ${sql.table(name)} set ${sql.join(added)}
    from (values ${sql.join(values)}) as v where ${isSame(table)}`;
  await query.execute(tx);
}

/** Matches rows of a table with those of a list of values `v` that begins with the key. */
function isSame({ name, key }: SumTable): RawBuilder<unknown> {
  const each = key.map(
    (column, at) => sql`${sql.ref(`${name}.${column}`)} = ${sql.ref(`v.column${at + 1}`)}`,
  );
  return sql.join(each, sql` and `);
}

function valuesOf(row: SumRow, columns: readonly string[]): RawBuilder<unknown>[] {
  return valuesIn(row, columns).map((value) =>
    typeof value === "number" ? whole(value) : sql`${value}`,
  );
}

function valuesIn(row: SumRow, columns: readonly string[]): (number | string)[] {
  return columns.map((column) => {
    const value = row[column];
    if (value === undefined) throw new Error(`a row of sums has no ${column}`);
    return value;
  });
}

type Counts = Omit<CounterRow, "id" | "kind" | "used_quota">;

function falls(quota: number, sums: Counts): boolean {
  const { request_count, prompt_tokens, completion_tokens } = sums;
  const { cost, costed_quota, costed_count } = sums;
  const counts = [request_count, prompt_tokens, completion_tokens];
  return Math.min(quota, ...counts, cost, costed_quota, costed_count) < 0;
}

/** Adds to counters, or inserts them. None of the numbers is below 0. */
export async function upsertCounters(tx: Db, rows: CounterRow[]): Promise<void> {
  if (rows.length === 0) return;
  const prepared = preparedOf(tx);
  if (prepared !== undefined) {
    for (const row of rows) {
      const { kind, id, used_quota, request_count, prompt_tokens, completion_tokens } = row;
      const sums = [used_quota, request_count, prompt_tokens, completion_tokens];
      const costs = [row.cost, row.costed_quota, row.costed_count];
      prepared.run(counterTable.upsertText, [kind, id, ...sums, ...costs]);
    }
    return;
  }
  await tx
    .insertInto("counters")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(["kind", "id"]).doUpdateSet({
        used_quota: sql<number>`counters.used_quota + excluded.used_quota`,
        request_count: sql<number>`counters.request_count + excluded.request_count`,
        prompt_tokens: sql<number>`counters.prompt_tokens + excluded.prompt_tokens`,
        completion_tokens: sql<number>`counters.completion_tokens + excluded.completion_tokens`,
        cost: sql<number>`counters.cost + excluded.cost`,
        costed_quota: sql<number>`counters.costed_quota + excluded.costed_quota`,
        costed_count: sql<number>`counters.costed_count + excluded.costed_count`,
      }),
    )
    .execute();
}

/** Adds to rows of the roll-up, or inserts them. None of the numbers is below 0. */
export async function upsertHours(tx: Db, rows: HourRow[]): Promise<void> {
  if (rows.length === 0) return;
  const prepared = preparedOf(tx);
  if (prepared !== undefined) {
    for (const row of rows) {
      const { hour, user_id, token_id, channel_id, model_name, group } = row;
      const { quota, request_count, prompt_tokens, completion_tokens } = row;
      const key = [hour, user_id, token_id, channel_id, model_name, group];
      const sums = [quota, request_count, prompt_tokens, completion_tokens];
      const costs = [row.cost, row.costed_quota, row.costed_count];
      prepared.run(hourTable.upsertText, [...key, ...sums, ...costs]);
    }
    return;
  }
  await tx
    .insertInto("usage_hours")
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(["hour", "user_id", "token_id", "channel_id", "model_name", "group"])
        .doUpdateSet({
          quota: sql<number>`usage_hours.quota + excluded.quota`,
          request_count: sql<number>`usage_hours.request_count + excluded.request_count`,
          prompt_tokens: sql<number>`usage_hours.prompt_tokens + excluded.prompt_tokens`,
          completion_tokens: sql<number>`usage_hours.completion_tokens + excluded.completion_tokens`,
          cost: sql<number>`usage_hours.cost + excluded.cost`,
          costed_quota: sql<number>`usage_hours.costed_quota + excluded.costed_quota`,
          costed_count: sql<number>`usage_hours.costed_count + excluded.costed_count`,
        }),
    )
    .execute();
}
