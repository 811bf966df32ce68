/** Reads the database of a gateway that has ended; it is not opened while the gateway runs. */

import { join } from "node:path";
import { sql } from "kysely";
import { type DatabaseAddress, openDatabase } from "#db/connection.ts";
import type { Home } from "#test/gateway.ts";

export function addressOf({ dialect, dataDir, env }: Home): DatabaseAddress {
  return dialect === "sqlite"
    ? { dialect, file: join(dataDir, "tollgate.db") }
    : { dialect, url: env["DATABASE_URL"] ?? "" };
}

/** Counts the records that a gateway has left in its journal; after a clean stop there is none. */
export async function countUnapplied(home: Home): Promise<number> {
  const opened = openDatabase(addressOf(home), "reader");
  try {
    return (await opened.db.selectFrom("journal").select("seq").execute()).length;
  } finally {
    await opened.close();
  }
}

/** Lists what must not be left at rest: open holds, negative balances and damage to the file. */
export async function readLeftovers(home: Home): Promise<string[]> {
  const opened = openDatabase(addressOf(home), "reader");
  try {
    const found: string[] = [];
    const count = async (what: string, from: string): Promise<void> => {
      const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.raw(from)}`.execute(
        opened.db,
      );
      const n = Number(rows[0]?.n ?? 0);
      if (n > 0) found.push(`${n} ${what}`);
    };
    await count("reservations are open", "reservations");
    await count("balances are below zero", "balances where balance < 0");
    await count("balances hold something", "balances where held <> 0");
    await count("token balances hold something", "token_balances where held <> 0");
    if (home.dialect === "sqlite") {
      const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(
        opened.db,
      );
      const verdict = rows[0]?.integrity_check ?? "";
      if (verdict !== "ok") found.push(`integrity_check says ${verdict}`);
    }
    return found;
  } finally {
    await opened.close();
  }
}
