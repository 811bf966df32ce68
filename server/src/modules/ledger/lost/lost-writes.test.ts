import { afterEach, expect, test } from "bun:test";
import { changeStore, recordChange } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import { type Written, writtenIn } from "#db/written.ts";
import { appendAudit, systemActor } from "#modules/audit/audit.ts";
import { bindStore } from "#db/store.ts";
import { postEntry } from "#modules/ledger/ledger.ts";
import { closeTestBooks, openTestBooks } from "#modules/ledger/testing/books.ts";
import { findLostWrites } from "./lost-writes.ts";
import { findLossWarnings, storeReport } from "./report.ts";

afterEach(closeTestBooks);

const nowMs = 1_763_700_000_000;

async function write(db: Db, name: string, userId: number): Promise<readonly Written[]> {
  return await db.transaction().execute(async (tx) => {
    const posting = { kind: "topup", userId, amount: 5, detail: "", nowMs } as const;
    await postEntry(tx, { ...posting, cause: `topup:${name}` });
    await recordChange(tx, "users", userId);
    await appendAudit(tx, { actor: systemActor, action: "user.update", target: name, nowMs });
    return writtenIn(tx);
  });
}

for (const dialect of testDialects) {
  test(`on ${dialect} a write is missing when any of its rows is, and not when it was cleaned away`, async () => {
    const { db, addUser } = await openTestBooks(dialect);
    const id = await addUser("alice", 0);
    const writes = [
      { atMs: nowMs, written: await write(db, "first", id) },
      { atMs: nowMs, written: await write(db, "second", id) },
    ];
    expect(writes[0]?.written.map(({ kind }) => kind)).toEqual(["entry", "change", "audit"]);
    expect(await findLostWrites(db, writes)).toEqual([]);

    // Every node has applied the first change, so it is removed.
    const node = { epoch: 1, started_at: 1, heartbeat_at: 1, draining: 0, config_version: 1_000 };
    await db
      .insertInto("nodes")
      .values({ id: "n", ...node })
      .execute();
    await bindStore(changeStore, db).cleanChanges();
    expect(await findLostWrites(db, writes)).toEqual([]);

    for (const remove of [
      async (tx: Db) => await tx.deleteFrom("audit_log").where("target", "=", "second").execute(),
      async (tx: Db) =>
        await tx.deleteFrom("entries").where("cause", "=", "topup:second").execute(),
      async (tx: Db) => await tx.updateTable("config_changes").set({ mark: "other" }).execute(),
      async (tx: Db) => {
        await tx.deleteFrom("config_changes").execute();
        await tx
          .updateTable("config_clock")
          .set((eb) => ({ version: eb("version", "-", 1) }))
          .execute();
      },
    ]) {
      const tx = await db.startTransaction().execute();
      await remove(tx);
      expect(await findLostWrites(tx, writes)).toEqual(writes.slice(1));
      await tx.rollback().execute();
    }
  });

  test(`on ${dialect} what was lost is named in the audit log, and the sums are told by the audit`, async () => {
    const { db, addUser } = await openTestBooks(dialect);
    const id = await addUser("alice", 0);
    const writes = Array.from({ length: 25 }, () => ({
      atMs: nowMs,
      written: [{ kind: "entry", what: "redeem:7" }] as const,
    }));
    const charge = { requestId: "r1", userId: id, acknowledged: 9, again: 4, reason: "" };
    expect(await findLossWarnings(db)).toEqual([]);
    for (const node of ["a", "b"]) {
      const report = { charges: [charge], writes };
      await db.transaction().execute(async (tx) => await storeReport(tx, node, report, nowMs));
    }
    const rows = await db.selectFrom("audit_log").select(["target", "detail"]).execute();
    const details = rows.filter(({ target }) => target === "node:a").map(({ detail }) => detail);
    expect(details[0]).toBe('{"charges":1,"chargedAgain":4,"writtenOff":5,"writes":25}');
    expect(details.join("").split("redeem:7")).toHaveLength(26);
    expect(details.at(-1)).toContain('{"written_off":"r1","user":1,"units":5}');
    expect(await findLossWarnings(db)).toEqual([
      expect.stringContaining("2 charges and 50 console writes"),
    ]);
  });
}
