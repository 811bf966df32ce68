/** Reads the statement of a balance with what its owner needs to check it. */

import type { PriceList } from "@tollgate/contract/money/charge.ts";
import { lineHash } from "@tollgate/contract/money/statement-check.ts";
import { entryKind } from "@tollgate/contract/endpoints/entries.ts";
import {
  type StatementFile,
  type StatementLine,
  statementPartMax,
} from "@tollgate/contract/endpoints/statements.ts";
import type { Db } from "#db/database.ts";
import { ownerValues, rootDigest } from "#modules/logs/log-hash.ts";
import type { LogRow } from "#modules/logs/logs.ts";
import { parsePrices } from "#modules/pricing/pricing.ts";
import { pricesOf } from "./row-prices.ts";

type StatementPart = StatementFile & { readonly more: boolean };

type StatementSpan = {
  readonly userId: number;
  /** Unix seconds; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  /** The number and the hash of the line before; 0 and empty: there is none. */
  readonly after: number;
  readonly previous: string;
};

/** Reads the next lines of a user's statement. */
export async function readStatement(db: Db, asked: StatementSpan): Promise<StatementPart> {
  const { userId, start, end, after, previous } = asked;
  const span = await findSpan(db, asked);
  const found = await db
    .selectFrom("entries")
    .select(["seq", "created_at", "kind", "amount", "debt", "balance_after", "detail", "log_id"])
    .where("user_id", "=", userId)
    .where("seq", ">", Math.max(after, span.first - 1))
    .where("seq", "<=", span.last)
    .orderBy("seq")
    .limit(statementPartMax + 1)
    .execute();
  const entries = found.slice(0, statementPartMax);
  const ids = entries.flatMap(({ kind, log_id }) => (kind === "settle" ? [log_id] : []));
  const rows = await readRows(db, ids);
  const prices = openPrices(await readLists(db, rows));
  const lines: StatementLine[] = [];
  let hash = previous;
  for (const { detail, log_id, ...entry } of entries) {
    const row = entry.kind === "settle" ? rows.get(log_id) : undefined;
    const receipt =
      row === undefined || row.salt === ""
        ? null
        : {
            values: [...ownerValues(row, row.id)],
            row_hash: detail,
            root_digest: rootDigest(row),
            prices: prices.placeOf(row),
          };
    const line = {
      ...entry,
      kind: entryKind.parse(entry.kind),
      receipt,
      audit_only: entry.kind === "settle" && receipt === null,
    };
    hash = lineHash(hash, line);
    lines.push({ ...line, hash });
  }
  const more = found.length > statementPartMax;
  return { tollgate_statement: 1, user_id: userId, start, end, prices: prices.used, lines, more };
}

/**
 * Finds the first and the last line of the time. All between them belong to the statement: a charge
 * may have the time of a call that ended before the line before it.
 */
async function findSpan(
  db: Db,
  { userId, start, end }: StatementSpan,
): Promise<{ readonly first: number; readonly last: number }> {
  const { first, last } = await db
    .selectFrom("entries")
    .select(({ fn }) => [
      fn.min<number | null>("seq").as("first"),
      fn.max<number | null>("seq").as("last"),
    ])
    .where("user_id", "=", userId)
    .where("created_at", ">=", start)
    .where("created_at", "<", end)
    .executeTakeFirstOrThrow();
  return { first: Number(first ?? 1), last: Number(last ?? 0) };
}

async function readRows(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, LogRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("logs")
    .selectAll()
    .where("id", "in", [...ids])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

async function readLists(
  db: Db,
  rows: ReadonlyMap<number, LogRow>,
): Promise<ReadonlyMap<number, PriceList>> {
  const ids = new Set([...rows.values()].map(({ price_version }) => price_version));
  if (ids.size === 0) return new Map();
  const versions = await db
    .selectFrom("price_versions")
    .select(["id", "content"])
    .where("id", "in", [...ids])
    .execute();
  return new Map(
    versions.flatMap((version) => {
      const parsed = parsePrices(version);
      return parsed === undefined ? [] : [[version.id, parsed.list] as const];
    }),
  );
}

/** Gathers the prices of charges, each version, model and group once. */
function openPrices(lists: ReadonlyMap<number, PriceList>) {
  const used: StatementFile["prices"] = [];
  const places = new Map<string, number>();
  return {
    used,
    placeOf({ price_version: version, model_name: model, group }: LogRow): number | null {
      const list = lists.get(version);
      if (list === undefined) return null;
      const key = JSON.stringify([version, model, group]);
      const known = places.get(key);
      if (known !== undefined) return known;
      const place = used.push({ version, model, list: pricesOf(list, model, group) }) - 1;
      places.set(key, place);
      return place;
    },
  };
}
