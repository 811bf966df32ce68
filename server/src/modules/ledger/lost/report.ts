/** Keeps what became of the charges and writes that a database which went back had lost. */

import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import { appendAudit, systemActor } from "#modules/audit/audit.ts";
import type { LostCharge } from "./restore.ts";
import { type ConfirmedWrite, nameOf } from "./write-ring.ts";

/** What a node found missing when the database had gone back. */
export type LossReport = {
  readonly charges: readonly LostCharge[];
  readonly writes: readonly ConfirmedWrite[];
};

/** The sums of a report. Amounts in quota units. */
type LossSums = {
  readonly charges: number;
  readonly chargedAgain: number;
  readonly writtenOff: number;
  readonly writes: number;
};

export const noLoss: LossSums = { charges: 0, chargedAgain: 0, writtenOff: 0, writes: 0 };

export function sumsOf({ charges, writes }: LossReport): LossSums {
  let [chargedAgain, writtenOff] = [0, 0];
  for (const { acknowledged, again } of charges) {
    chargedAgain += again;
    writtenOff += acknowledged - again;
  }
  return { charges: charges.length, chargedAgain, writtenOff, writes: writes.length };
}

export function addSums(a: LossSums, b: LossSums): LossSums {
  return {
    charges: a.charges + b.charges,
    chargedAgain: a.chargedAgain + b.chargedAgain,
    writtenOff: a.writtenOff + b.writtenOff,
    writes: a.writes + b.writes,
  };
}

const sumsKey = "database_back";

/** How many names one entry of the audit log has, and how many entries a report has at most. */
const namesMax = 10;
const entriesMax = 100;

/**
 * Stores a report: entries of the audit log that name what was written off and which writes are
 * missing, and the sums of all reports for `tollgate audit`.
 */
export async function storeReport(
  tx: Db,
  nodeId: string,
  report: LossReport,
  nowMs: number,
): Promise<void> {
  const sums = sumsOf(report);
  const before = await lockSums(tx);
  await tx
    .updateTable("meta")
    .set({ value: JSON.stringify(addSums(before, sums)) })
    .where("key", "=", sumsKey)
    .execute();
  const names = [
    ...report.writes.map((write) => ({ write: nameOf(write) })),
    ...report.charges
      .filter(({ acknowledged, again }) => again < acknowledged)
      .map(({ requestId, userId, acknowledged, again, reason }) => ({
        written_off: requestId,
        user: userId,
        units: acknowledged - again,
        ...(reason === "" ? {} : { reason }),
      })),
  ];
  const note = { actor: systemActor, action: "database.back", target: `node:${nodeId}`, nowMs };
  await appendAudit(tx, { ...note, detail: sums });
  for (let from = 0; from < Math.min(names.length, namesMax * entriesMax); from += namesMax) {
    await appendAudit(tx, { ...note, detail: { missing: names.slice(from, from + namesMax) } });
  }
}

async function lockSums(tx: Db): Promise<LossSums> {
  await tx
    .insertInto("meta")
    .values({ key: sumsKey, value: JSON.stringify(noLoss) })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .execute();
  const query = tx.selectFrom("meta").select("value").where("key", "=", sumsKey);
  return parseSums((await lockRows(tx, query).executeTakeFirstOrThrow()).value);
}

function parseSums(text: string): LossSums {
  // Safe cast: only `storeReport` writes this key.
  return { ...noLoss, ...(JSON.parse(text) as Partial<LossSums>) };
}

/** Says for `tollgate audit` what databases that went back have lost; nothing: none was lost. */
export async function findLossWarnings(db: Db): Promise<string[]> {
  const row = await db
    .selectFrom("meta")
    .select("value")
    .where("key", "=", sumsKey)
    .executeTakeFirst();
  const { rows } = await sql<{ calls: number; units: number | null }>`
    select count(*) as calls, -sum(amount) as units from entries
    where kind = 'settle' and cause like 'again:%'`.execute(db);
  const { calls = 0, units = 0 } = rows[0] ?? {};
  if (row === undefined && Number(calls) === 0) return [];
  const { charges, writtenOff, writes } = row === undefined ? noLoss : parseSums(row.value);
  return [
    `the database went back and had lost ${charges} charges and ${writes} console writes: ` +
      `${Number(calls)} charges of ${Number(units ?? 0)} quota units were written again, ` +
      `${writtenOff} quota units are written off; the audit log names them (database.back)`,
  ];
}
