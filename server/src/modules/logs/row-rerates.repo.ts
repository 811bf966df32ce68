/** Reads how a charged call was charged again since. */

import type { LogCharge } from "@tollgate/contract/endpoints/log-charges.ts";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";

/** The place of the re-rate's id in the cause of an entry, and its digits. */
const idStart = "rerate:".length;
const idDigits = 8;

/** Reads the re-rates of a row, oldest first. */
export async function readRerates(
  db: Db,
  row: { readonly id: number; readonly userId: number; readonly quota: number },
): Promise<LogCharge["rerates"]> {
  const any = await db.selectFrom("rerates").select("id").limit(1).executeTakeFirst();
  if (any === undefined) return [];
  const entries = await db
    .selectFrom("entries")
    .select(["cause", "amount", "debt", "created_at"])
    .where("user_id", "=", row.userId)
    // The condition of an index.
    .where(sql<boolean>`kind not in ('settle', 'reversal', 'refund')`)
    .where("kind", "=", "rerate")
    .where("log_id", "=", row.id)
    .orderBy("seq")
    .execute();
  if (entries.length === 0) return [];
  const known = await db
    .selectFrom("rerates")
    .select(["id", "undoes", "version", "notice"])
    .execute();
  const rerates = new Map(known.map((rerate) => [rerate.id, rerate]));
  let charged = row.quota;
  return entries.map(({ cause, amount, debt, created_at: at }) => {
    const id = Number(cause.slice(idStart, idStart + idDigits));
    const rerate = rerates.get(id);
    const before = charged;
    charged += debt - amount;
    const version = rerate === undefined || rerate.undoes !== 0 ? 0 : rerate.version;
    return { rerate: id, at, before, after: charged, version, notice: rerate?.notice ?? "" };
  });
}
