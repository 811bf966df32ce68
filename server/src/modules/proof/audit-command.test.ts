import { expect, test } from "bun:test";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import { runAudit } from "./audit-command.ts";

const rightKey = async () => await Promise.resolve(null);

for (const dialect of testDialects) {
  // The columns and hashes that an update adds are missing there, so a healthy ledger would look
  // altered.
  test(`tables of an earlier version are not called altered: the gateway must start first: ${dialect}`, async () => {
    const { db, address, close } = await openTestDatabase(dialect);
    const said: string[] = [];
    try {
      expect(await runAudit(address, (line) => said.push(line), rightKey)).toBe(0);
      expect(said.join()).toStartWith("audit: ok");
      await db
        .withTables<{ schema_migrations: { name: string } }>()
        .deleteFrom("schema_migrations")
        .where("name", "=", "20261123-1745-row-hashes")
        .execute();
      const again = runAudit(address, (line) => said.push(line), rightKey);
      expect(await again.catch(String)).toContain("Start the gateway once");
    } finally {
      await close();
    }
  });
}
