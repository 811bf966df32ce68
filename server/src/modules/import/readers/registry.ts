/** The programs whose databases can be imported. */

import { ForeignError, type ForeignDatabase } from "#db/foreign.ts";
import type { Reader } from "#modules/import/import.ts";
import { litellm } from "./litellm.ts";
import { newApi, veloera } from "./new-api.ts";
import { oneApi } from "./one-api.ts";
import { oneHub } from "./one-hub.ts";

/** A program that came from another one stands before it, because it has the other one's tables. */
const readers: readonly Reader[] = [litellm, veloera, newApi, oneApi, oneHub];

/** Finds the reader of a source. @throws ForeignError when there is none, or tables are missing. */
export function findReader(source: ForeignDatabase, from: string | null): Reader {
  const kinds = readers
    .map(({ kind }) => kind)
    .toSorted()
    .join(", ");
  const named = readers.find(({ kind }) => kind === from);
  if (from !== null && named === undefined) {
    throw new ForeignError(`--from ${from}: there is no reader of it; there are ${kinds}.`);
  }
  const reader = named ?? readers.find((one) => one.recognizes(source.tables));
  if (reader === undefined) {
    throw new ForeignError(
      `${source.shown} does not look like one of ${kinds}. If it is one, name it with --from.`,
    );
  }
  for (const { table, needs } of reader.needs(source.tables)) {
    const columns = source.tables.get(table);
    if (columns === undefined) {
      throw new ForeignError(`${source.shown} has no table ${table}, which ${reader.kind} has.`);
    }
    const missing = needs.filter((name) => !columns.includes(name));
    if (missing.length === 0) continue;
    throw new ForeignError(`${source.shown}: table ${table} has no column ${missing.join(", ")}.`);
  }
  return reader;
}
