/**
 * Checks the ledger after a load. The figures of a run count only when the ledger has every call.
 */

import { sql } from "kysely";
import { openDatabase } from "@tollgate/server/src/db/connection.ts";
import { addressOf } from "@tollgate/server/test/proof/database-after.ts";
import { runCommand } from "@tollgate/server/test/gateway.ts";
import { type Product, stopProduct } from "./product.ts";
import type { LedgerResult } from "./result.ts";

/**
 * Stops the product, counts its rows, runs the audit, and removes its data.
 *
 * @throws Error when a call is missing, there is one too many, a hold is still open, or the audit
 *   finds a flaw. The data is kept then.
 */
export async function checkLedger(product: Product, name: string): Promise<LedgerResult> {
  await stopProduct(product);
  const { home } = product;
  const calls = product.counted();
  const counts = await countRows(product);
  const where = `The data is in ${home.dataDir}.`;
  if (counts.charged !== calls || counts.failed > 0) {
    throw new Error(
      `${name}: ${calls} calls were answered, the log has ${counts.charged} that were charged ` +
        `and ${counts.failed} that failed. ${where}`,
    );
  }
  if (counts.open > 0) throw new Error(`${name}: ${counts.open} holds are open. ${where}`);
  const startMs = performance.now();
  const { code, output } = await runCommand(home, ["audit"]);
  const audit = output.trim().split("\n").at(-1) ?? "";
  if (code !== 0) throw new Error(`${name}: ${audit} ${where}`);
  const auditSeconds = (performance.now() - startMs) / 1_000;
  await home.remove();
  return { load: name, calls, rows: counts.charged, audit, auditSeconds };
}

type Counts = { readonly charged: number; readonly failed: number; readonly open: number };

async function countRows({ home }: Product): Promise<Counts> {
  const opened = openDatabase(addressOf(home), "reader");
  const count = async (from: string): Promise<number> => {
    const counted = sql<{ n: number }>`select count(*) as n from ${sql.raw(from)}`;
    return (await counted.execute(opened.db)).rows[0]?.n ?? 0;
  };
  try {
    return {
      charged: await count("logs where type = 2"),
      failed: await count("logs where type = 5"),
      open: await count("reservations"),
    };
  } finally {
    await opened.close();
  }
}
