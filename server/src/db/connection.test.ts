/** Tests the settings of the connections that read. */

import { expect, test } from "bun:test";
import { sql } from "kysely";
import { openDatabase } from "./connection.ts";
import { openTestDatabase, testDialects } from "./testing/database.ts";

if (testDialects.includes("postgres")) {
  test("a list or a chart takes no second core from the calls beside it, and is not compiled", async () => {
    const { address, close } = await openTestDatabase("postgres");
    const reader = openDatabase(address, "reader");
    try {
      const { rows } = await sql`
        select current_setting('jit') as jit,
          current_setting('max_parallel_workers_per_gather') as workers
      `.execute(reader.db);
      expect(rows).toEqual([{ jit: "off", workers: "0" }]);
    } finally {
      await reader.close();
      await close();
    }
  });
}
