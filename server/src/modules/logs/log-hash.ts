/**
 * The hash of a log row, which the ledger's entry of the call stores, so that a row that is altered
 * or added later is detected. It covers two digests: of what the row's owner may see, and of what
 * root alone sees. So whoever has the owner's part and the other digest, which says nothing, can
 * compute the hash and compare it with the ledger (`receipts.ts`).
 */

import { hashText } from "#base/secrets.ts";
import { type AddedName, addedNames, logFields } from "@tollgate/contract/logs/fields.ts";
import {
  type InsertedColumn,
  insertedColumns,
  type LaterColumn,
  logEntries,
  type LogRow,
} from "./log-fields.ts";

type Hashed = Omit<LogRow, LaterColumn | "id">;

type Column = Exclude<InsertedColumn, AddedName | "salt">;
type ColumnOf<Whose> = {
  [Name in Column]: (typeof logEntries)[Name]["digest"] extends Whose ? Name : never;
}[Column];

const added: readonly InsertedColumn[] = addedNames;

const columns = insertedColumns.filter(
  (name): name is Column => name !== "salt" && !added.includes(name),
);

/** The columns of the owner's digest, in its order; `other` is the last. */
export const ownerColumns = columns.filter(
  (name): name is ColumnOf<"owner"> => logEntries[name].digest === "owner",
);
const rootColumns = columns.filter(
  (name): name is ColumnOf<"root"> => logEntries[name].digest === "root",
);

/** Where the part of `other` begins that root alone sees; the writer of rows writes it last. */
const rootPart = ',"admin_info":';

/** Returns what of the column `other` its owner may see. */
function ownerPart(other: string): string {
  // A quote in a text of JSON has a backslash before it, so no text contains this.
  const at = other.lastIndexOf(rootPart);
  return at < 0 ? other : `${other.slice(0, at)}}`;
}

/**
 * Returns the values of the owner's digest: its hash is the hex SHA-256 of their JSON text. Texts must
 * be storable.
 */
export function ownerValues(row: Hashed, id: number): readonly (number | string)[] {
  const values: (number | string)[] = [id];
  for (const name of ownerColumns) values.push(row[name]);
  values.push(ownerPart(row.other));
  return values;
}

/**
 * Adds name and value of each column that came after rows were hashed, unless it is blank: so older
 * rows keep their hashes.
 */
function addAdded(values: (number | string | null)[], row: Hashed): void {
  for (const name of added) {
    if (row[name] !== logFields[name].blank) values.push(name, row[name]);
  }
}

/** Computes the digest of what root alone sees, which the row's salt makes impossible to guess. */
export function rootDigest(row: Hashed): string {
  const values: (number | string | null)[] = [row.salt];
  for (const name of rootColumns) values.push(row[name]);
  const at = row.other.lastIndexOf(rootPart);
  values.push(at < 0 ? "" : row.other.slice(at + rootPart.length, -1));
  addAdded(values, row);
  return hashText(JSON.stringify(values));
}

/** Computes the hash of a row from its digests: hex SHA-256 over one after the other. */
function hashOfDigests(owner: string, root: string): string {
  return hashText(`${owner}${root}`);
}

/** Computes the hash of a row whose texts are storable. */
export function hashRow(row: Hashed, id: number): string {
  if (row.salt === "") return earlierHash(row, id);
  return hashOfDigests(hashText(JSON.stringify(ownerValues(row, id))), rootDigest(row));
}

/**
 * Computes the hash of a row from before there were two digests, and of rows that are not of charged
 * calls: hex SHA-256 over the JSON array of the id and the columns that there were. The last of these
 * is left out where it is 0, as in every row of before it was stored. What such a row cannot have,
 * because it came with the digests, is added where somebody has put it there.
 */
function earlierHash(row: Hashed, id: number): string {
  const values: (number | string | null)[] = [id];
  for (const name of columns) if (!isLater(name) && name !== "seen_output") values.push(row[name]);
  if (row.seen_output !== 0) values.push(row.seen_output);
  if (row.cost_version !== 0 || row.cost_reported !== "") {
    values.push(row.cost, row.cost_version, row.cost_reported);
  } else if (row.cost !== null && row.type !== uncharged) values.push(row.cost);
  addAdded(values, row);
  return hashText(JSON.stringify(values));
}

/** The type of rows of calls that are not charged; their cost is 0. */
const uncharged = 5;

function isLater(name: Column): boolean {
  return name === "cost" || name === "cost_version" || name === "cost_reported";
}
