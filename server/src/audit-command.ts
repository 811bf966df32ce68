/** `tollgate audit`: proves the books and tells the first row that does not fit. */

import type { Config } from "./config.ts";
import { openDatabase } from "#db/connection.ts";
import { proveBooks } from "#modules/ledger/proof.ts";

/** @returns the exit code: 0 the books are right, 1 they are not. */
export async function runAudit(config: Config, print: (line: string) => void): Promise<number> {
  const opened = openDatabase(config.database, "reader");
  try {
    const transaction = opened.db.transaction();
    const one =
      opened.dialect === "postgres"
        ? transaction.setIsolationLevel("repeatable read")
        : transaction;
    const { flaw, entries, charged } = await one.execute(proveBooks);
    if (flaw === null) {
      print(`audit: ok, ${entries} entries, ${charged} quota units charged`);
      return 0;
    }
    print(`audit: ${flaw.check} fails at ${flaw.table} ${flaw.row}: ${flaw.reason}`);
    return 1;
  } finally {
    await opened.close();
  }
}
