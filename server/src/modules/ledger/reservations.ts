import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { insertText, preparedOf } from "#db/prepared.ts";
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

const reservationText = `${insertText("reservations", [
  "id",
  "node_id",
  "epoch",
  "user_id",
  "token_id",
  "model_name",
  "group",
  "amount",
  "token_amount",
  "created_at",
  "budget_at",
  "budget_day",
  "budget_week",
  "budget_month",
])} on conflict (id) do update set amount = excluded.amount, token_amount = excluded.token_amount`;

/** Inserts new reservations, and updates those that hold more than before. */
export async function upsertReservations(tx: Db, rows: readonly ReservationTable[]): Promise<void> {
  if (rows.length === 0) return;
  const prepared = preparedOf(tx);
  if (prepared !== undefined) {
    for (const row of rows) {
      const { id, node_id, epoch, user_id, token_id, model_name, group } = row;
      const { amount, token_amount, created_at } = row;
      const facts = [id, node_id, epoch, user_id, token_id, model_name, group];
      const { budget_at, budget_day, budget_week, budget_month } = row;
      const sums = [amount, token_amount, created_at];
      const budget = [budget_at, budget_day, budget_week, budget_month];
      prepared.run(reservationText, [...facts, ...sums, ...budget]);
    }
    return;
  }
  await tx
    .insertInto("reservations")
    .values(rows)
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet({
        amount: sql<number>`excluded.amount`,
        token_amount: sql<number>`excluded.token_amount`,
      }),
    )
    .execute();
}
