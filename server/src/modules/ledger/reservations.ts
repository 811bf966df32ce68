import type { Db } from "#db/database.ts";
import { insertRows, insertText, intoText, preparedOf } from "#db/prepared.ts";
import type { ReservationTable } from "#db/tables/ledger.ts";

export async function readReservations(
  tx: Db,
  ids: readonly string[],
): Promise<ReservationTable[]> {
  if (ids.length === 0) return [];
  return await tx.selectFrom("reservations").selectAll().where("id", "in", ids).execute();
}

/** Deletes the rows of reservations, in the transaction that ends their calls. */
export async function deleteReservations(tx: Db, ids: ReadonlySet<string>): Promise<void> {
  if (ids.size === 0) return;
  const prepared = preparedOf(tx);
  if (prepared !== undefined) {
    for (const id of ids) prepared.run("delete from reservations where id = ?", [id]);
    return;
  }
  await tx
    .deleteFrom("reservations")
    .where("id", "in", [...ids])
    .execute();
}

const reservationColumns = [
  "id",
  "node_id",
  "epoch",
  "user_id",
  "token_id",
  "model_name",
  "group",
  "tags",
  "amount",
  "token_amount",
  "created_at",
  "budget_at",
  "budget_day",
  "budget_week",
  "budget_month",
] as const satisfies readonly (keyof ReservationTable)[];

const onConflict =
  "on conflict (id) do update set amount = excluded.amount, token_amount = excluded.token_amount";

const reservationText = `${insertText("reservations", reservationColumns)} ${onConflict}`;
const intoReservations = intoText("reservations", reservationColumns);

/** Inserts new reservations, and updates those that hold more than before. */
export async function upsertReservations(tx: Db, rows: readonly ReservationTable[]): Promise<void> {
  const prepared = preparedOf(tx);
  if (prepared !== undefined) {
    for (const row of rows) prepared.run(reservationText, valuesOf(row));
    return;
  }
  await insertRows(tx, intoReservations, rows.map(valuesOf), onConflict);
}

/**
 * Returns the values of a reservation in the order of `reservationColumns`. They are spelled out,
 * because this runs for every call.
 */
function valuesOf(row: ReservationTable): (number | string)[] {
  const { id, node_id, epoch, user_id, token_id, model_name, group, tags } = row;
  const { amount, token_amount, created_at } = row;
  const { budget_at, budget_day, budget_week, budget_month } = row;
  const facts = [id, node_id, epoch, user_id, token_id, model_name, group, tags];
  return [
    ...facts,
    amount,
    token_amount,
    created_at,
    budget_at,
    budget_day,
    budget_week,
    budget_month,
  ];
}
