/**
 * The rows that the audit log proves, such as a user's role or a token's limits: the transaction that
 * changes one appends an entry with the row's new state, so a row that was changed in any other way
 * differs from its last entry. Of a state only the columns that a change sets are taken from the row,
 * the others from the entry before, so that a later change does not cover an earlier alteration.
 */

import { hashText } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";

/** `closed_day`: a day whose dividends are computed; `log`: a top-up in the usage log. */
export type NotedKind = "agent" | "closed_day" | "log" | "token" | "user";

/** Values of a row by the names of their columns. */
export type RowState = Readonly<Record<string, number | string | null>>;

export type NotedRow = {
  readonly kind: NotedKind;
  readonly id: number;
  /** See `stateText`. */
  readonly state: string;
};

/** A longer text is noted as its hash. */
const textMax = 40;

/** Writes a state as JSON text, sorted by name, without zeros, empty texts and nulls. */
export function stateText(state: RowState): string {
  return textOf(Object.entries(state).map(([name, value]) => [name, shortOf(value)]));
}

function textOf(values: readonly (readonly [string, number | string | null])[]): string {
  const kept = values.filter(([, value]) => value !== 0 && value !== "" && value !== null);
  return JSON.stringify(Object.fromEntries(kept.toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

function shortOf(value: number | string | null): number | string | null {
  return typeof value === "string" && value.length > textMax ? `#${hashText(value)}` : value;
}

/**
 * Makes the note of a changed row, for `appendAudit`. The row must be locked.
 * @param changed the columns that the change has set, with their values.
 */
export async function noteRow(
  tx: Db,
  kind: NotedKind,
  id: number,
  changed: RowState,
): Promise<NotedRow> {
  const last = (await readNoted(tx, kind, [id])).get(id) ?? "{}";
  const before = Object.entries(parseState(last));
  const after = Object.entries(changed).map(([name, value]) => [name, shortOf(value)] as const);
  const values = new Map<string, number | string | null>([...before, ...after]);
  return { kind, id, state: textOf([...values]) };
}

export function parseState(text: string): RowState {
  // Safe cast: the text is one that `textOf` has written; one that was altered breaks the chain.
  return JSON.parse(text) as RowState;
}

/** Reads the last noted states of rows, by their ids. */
export async function readNoted(
  db: Db,
  kind: NotedKind,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("audit_log")
    .select(["row_id", "row_state"])
    .where("id", "in", (eb) =>
      eb
        .selectFrom("audit_log as noted")
        .select(({ fn }) => fn.max("noted.id").as("id"))
        .where("noted.row_kind", "=", kind)
        .where("noted.row_id", "in", [...ids])
        .groupBy("noted.row_id"),
    )
    .execute();
  return new Map(rows.map(({ row_id, row_state }) => [row_id, row_state]));
}
