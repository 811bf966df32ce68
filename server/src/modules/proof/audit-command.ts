/**
 * The command `tollgate audit`: checks the ledger and the audit log, and prints the first row that
 * is wrong.
 */

import { sql } from "kysely";
import { type DatabaseAddress, openDatabase } from "#db/connection.ts";
import type { Db } from "#db/database.ts";
import { requireSchema } from "#db/migrator.ts";
import { verifyAudit } from "#modules/audit/audit.ts";
import type { Flaw } from "./flaw.ts";
import { proveLedger } from "./proof.ts";
import { findNotedFlaw } from "./proof-noted.ts";

/**
 * Runs the command: proves the ledger and the audit log, and prints the outcome.
 *
 * @param wrongKey says why the secret key is not the one of this database; null: it is.
 * @returns the exit code: 0 when the ledger and the audit log are correct, else 1.
 * @throws SchemaError when the tables are those of another version.
 */
export async function runAudit(
  address: DatabaseAddress,
  print: (line: string) => void,
  wrongKey: (db: Db) => Promise<string | null>,
): Promise<number> {
  const opened = openDatabase(address, "reader");
  try {
    await requireSchema(opened.db, opened.dialect);
    const wrong = await wrongKey(opened.db);
    if (wrong !== null) {
      print(`audit: ${wrong}`);
      return 1;
    }
    const transaction = opened.db.transaction();
    const one =
      opened.dialect === "postgres"
        ? transaction.setIsolationLevel("repeatable read")
        : transaction;
    const { ledger, noted, notes } = await one.execute(async (tx) => {
      // The proof of millions of entries takes longer than a statement of a console may.
      if (opened.dialect === "postgres") await sql`set local statement_timeout = 0`.execute(tx);
      return {
        ledger: await proveLedger(tx),
        noted: await findNotedFlaw(tx),
        notes: await verifyAudit(tx),
      };
    });
    const { flaw, entries, charged, warnings } = ledger;
    for (const warning of warnings) print(`audit: warning: ${warning}`);
    if (flaw !== null) {
      tell(print, flaw);
      return 1;
    }
    if (!notes.ok) {
      const row = notes.id === null ? "its end" : `id=${notes.id}`;
      print(`audit: the audit log's chain is broken at audit_log ${row}`);
      return 1;
    }
    // After the chain, because these rows are compared with its entries.
    if (noted !== null) {
      tell(print, noted);
      return 1;
    }
    print(
      `audit: ok, ${entries} entries, ${charged} quota units charged, ` +
        `${notes.count} notes in the audit log`,
    );
    return 0;
  } finally {
    await opened.close();
  }
}

function tell(print: (line: string) => void, flaw: Flaw): void {
  print(`audit: ${flaw.check} fails at ${flaw.table} ${flaw.row}: ${flaw.reason}`);
}
