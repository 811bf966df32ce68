/**
 * Check T16: everything that calls were told to cost gets into the books. The records that are not
 * there yet follow the mark without a gap, each is as it was written and can be read, and nothing
 * was refused or charged otherwise than its record says.
 */

import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import type { JournalTable } from "#db/tables/ledger.ts";
import { readOperations } from "#modules/ledger/journal/apply-records.ts";
import { sumOf } from "#modules/ledger/journal/records.ts";
import type { Flaw } from "./flaw.ts";

/** The number of records that are read at a time. */
const pageSize = 200;

export async function findJournalFlaw(db: Db): Promise<Flaw | null> {
  return (await findRefused(db)) ?? (await walkRecords(db));
}

async function findRefused(db: Db): Promise<Flaw | null> {
  const row = await db
    .selectFrom("journal_refused")
    .select(["id", "node_id", "seq", "request_id", "kind", "reason"])
    .orderBy("id")
    .executeTakeFirst();
  if (row === undefined) return null;
  const { id, node_id, seq, request_id, kind, reason } = row;
  const call = request_id === "" ? "" : `, request_id=${request_id}`;
  return {
    check: "T16",
    table: "journal_refused",
    row: `id=${id}`,
    reason: `${kind}: ${reason} (node_id=${node_id} seq=${seq}${call})`,
  };
}

type Mark = { readonly node_id: string; readonly seq: number; readonly sum: string };

async function walkRecords(db: Db): Promise<Flaw | null> {
  const heads = await db.selectFrom("journal_heads").selectAll().execute();
  const applied = new Map(heads.map((head) => [head.node_id, head]));
  let before: Mark = { node_id: "", seq: 0, sum: "" };
  for (;;) {
    const page = await pageRecords(db, before);
    for (const row of page) {
      if (row.node_id !== before.node_id) {
        const { applied: seq = 0, sum = "" } = applied.get(row.node_id) ?? {};
        before = { node_id: row.node_id, seq, sum };
      }
      const reason = judge(before, row);
      if (reason !== null) return flawAt(row, reason);
      before = row;
    }
    if (page.length < pageSize) break;
  }
  return await findUnknownEpoch(db);
}

async function pageRecords(db: Db, { node_id, seq }: Mark): Promise<JournalTable[]> {
  return await db
    .selectFrom("journal")
    .selectAll()
    .where((eb) => eb(eb.refTuple("node_id", "seq"), ">", eb.tuple(node_id, seq)))
    .orderBy("node_id")
    .orderBy("seq")
    .limit(pageSize)
    .execute();
}

function judge(before: Mark, row: JournalTable): string | null {
  if (row.seq <= before.seq) return `the books say that they have it: the mark is ${before.seq}`;
  if (row.seq !== before.seq + 1) return `follows record ${before.seq}`;
  if (sumOf(before.sum, row) !== row.sum) return "sum";
  const operations = readOperations(row);
  if (operations === undefined) return `its text has format ${row.format}`;
  return operations.length === row.calls ? null : "calls";
}

/** A record is of an epoch that its node has had. */
async function findUnknownEpoch(db: Db): Promise<Flaw | null> {
  const row = await db
    .selectFrom("journal")
    .select(["journal.node_id", "journal.seq"])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("nodes")
            .select("nodes.id")
            .whereRef("nodes.id", "=", "journal.node_id")
            .where(sql<boolean>`nodes.epoch >= journal.epoch`),
        ),
      ),
    )
    .executeTakeFirst();
  return row === undefined ? null : flawAt(row, "its node has had no such epoch");
}

function flawAt({ node_id, seq }: Pick<JournalTable, "node_id" | "seq">, reason: string): Flaw {
  return { check: "T16", table: "journal", row: `node_id=${node_id} seq=${seq}`, reason };
}
