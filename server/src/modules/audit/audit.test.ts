import { describe, expect, test } from "bun:test";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import { type AuditNote, appendAudit, systemActor, verifyAudit } from "./audit.ts";

const note: AuditNote = { actor: systemActor, action: "test.run", target: "test:1", nowMs: 1_000 };

/** Changes one column of the second audit row. */
async function setColumn(db: Db, name: string, value: number | string): Promise<void> {
  await sql`update audit_log set ${sql.ref(name)} = ${sql.lit(value)} where id = 2`.execute(db);
}

for (const dialect of testDialects) {
  describe(`audit on ${dialect}`, () => {
    test("an unchanged log passes the proof, even if entries were written at the same time", async () => {
      const { db, close } = await openTestDatabase(dialect);
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          db.transaction().execute(async (tx) => {
            await appendAudit(tx, { ...note, target: `test:${index}`, detail: { name: "\0甲" } });
          }),
        ),
      );

      expect(await verifyAudit(db)).toEqual({ ok: true, count: 20 });
      await close();
    });

    test("the proof names the first row that was changed, removed or added", async () => {
      const { db, close } = await openTestDatabase(dialect);
      const append = async () => await db.transaction().execute((tx) => appendAudit(tx, note));
      for (let count = 0; count < 4; count += 1) await append();

      await db.updateTable("audit_log").set({ target: "x" }).where("id", "=", 3).execute();
      expect(await verifyAudit(db)).toEqual({ ok: false, count: 2, id: 3 });
      await db.updateTable("audit_log").set({ target: "test:1" }).where("id", "=", 3).execute();
      expect(await verifyAudit(db)).toEqual({ ok: true, count: 4 });

      await db.deleteFrom("audit_log").where("id", "=", 2).execute();
      expect(await verifyAudit(db)).toEqual({ ok: false, count: 1, id: 3 });
      await close();
    });

    test("a change of any column of a row is detected", async () => {
      const { db, close } = await openTestDatabase(dialect);
      const actor = { userId: 7, username: "root", clientIp: "203.0.113.9" };
      for (let count = 0; count < 3; count += 1) {
        await db
          .transaction()
          .execute((tx) => appendAudit(tx, { ...note, actor, detail: { before: 1 } }));
      }
      const row = await db
        .selectFrom("audit_log")
        .selectAll()
        .where("id", "=", 2)
        .executeTakeFirstOrThrow();
      const columns = Object.entries(row).filter(([name]) => name !== "id");
      expect(columns.length).toBeGreaterThan(7);
      for (const [name, value] of columns) {
        const altered = typeof value === "number" ? value + 1 : `${value}x`;
        await setColumn(db, name, altered);
        expect([name, await verifyAudit(db)]).toEqual([name, { ok: false, count: 1, id: 2 }]);
        await setColumn(db, name, value);
      }
      expect(await verifyAudit(db)).toEqual({ ok: true, count: 3 });
      await close();
    });

    // The hash chain alone does not show that rows were removed from its end, so the number of rows
    // is stored as well.
    test("rows removed from the end are detected", async () => {
      const { db, close } = await openTestDatabase(dialect);
      for (let count = 0; count < 2; count += 1) {
        await db.transaction().execute((tx) => appendAudit(tx, note));
      }
      await db.deleteFrom("audit_log").where("id", "=", 2).execute();

      expect(await verifyAudit(db)).toEqual({ ok: false, count: 1, id: null });
      await close();
    });

    test("an entry whose transaction fails leaves no row and no gap in the chain", async () => {
      const { db, close } = await openTestDatabase(dialect);
      const failing = db.transaction().execute(async (tx) => {
        await appendAudit(tx, note);
        throw new Error("undo");
      });
      await expect(failing).rejects.toThrow("undo");
      await db.transaction().execute((tx) => appendAudit(tx, note));

      expect(await verifyAudit(db)).toEqual({ ok: true, count: 1 });
      await close();
    });
  });
}
