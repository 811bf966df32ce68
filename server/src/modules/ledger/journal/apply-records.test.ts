import { afterEach, describe, expect, test } from "bun:test";
import type { Dialect } from "#db/dialect.ts";
import { testDialects } from "#db/testing/database.ts";
import { endEpochs } from "#modules/ledger/nodes.ts";
import type { Operation } from "#modules/ledger/operations.ts";
import { findJournalFlaw } from "#modules/proof/proof.ts";
import { releaseInterrupted } from "#modules/ledger/recovery.ts";
import {
  closeTestBooks,
  facts,
  openTestBooks,
  settle,
  take,
  type TestBooks,
} from "#modules/ledger/testing/books.ts";
import { append, applyUpTo } from "#modules/ledger/testing/journal.ts";
import { applyEnded } from "./apply-records.ts";
import { appendRecord, readJournalEnd, rowOf } from "./records.ts";

afterEach(closeTestBooks);

for (const dialect of testDialects) {
  describe(`the journal on ${dialect}`, () => {
    test("a record gets into the books once, however often it is sent and applied", async () => {
      const books = await openScene(dialect);
      await hold(books, dialect, "a", 70);
      await append(books.db, [charge("a", 30)]);
      const { seq, sum } = await readJournalEnd(books.db, "node-1");
      expect(seq).toBe(1);
      const [row] = await books.db.selectFrom("journal").selectAll().execute();
      const again = {
        nodeId: "node-1",
        epoch: 1,
        seq: 1,
        calls: 1,
        body: row?.body ?? "",
        before: "",
      };
      expect(await appendRecord(books.db, again)).toEqual({ sum });
      expect(await applyUpTo(books.db, 1)).toEqual({ applied: 1, refused: 0 });
      expect(await applyUpTo(books.db, 1)).toEqual({ applied: 1, refused: 0 });
      expect(await books.readUser(1)).toMatchObject({ balance: 970, held: 0, used: 30 });
      // Its end is known although its row is gone.
      expect(await readJournalEnd(books.db, "node-1")).toEqual({ seq: 1, sum });
    });

    test("another record in the place of one is a bug, and is not written", async () => {
      const books = await openScene(dialect);
      await append(books.db, [charge("a", 30)]);
      const other = {
        nodeId: "node-1",
        epoch: 1,
        seq: 1,
        calls: 1,
        body: "[[],[],[]]",
        before: "",
      };
      expect(appendRecord(books.db, other)).rejects.toThrow("another one");
    });

    test("no record of an epoch that has ended appears", async () => {
      const books = await openScene(dialect);
      const { db } = books;
      await append(db, [charge("a", 30)]);
      await db.transaction().execute(async (tx) => await endEpochs(tx, ["node-1"], null));
      const late = { nodeId: "node-1", epoch: 1, seq: 2, calls: 1, body: "", before: "" };
      expect(await appendRecord(db, late)).toBe("fenced");
      // What was there is known to be committed.
      const [row] = await db.selectFrom("journal").selectAll().execute();
      const first = { ...late, seq: 1, body: row?.body ?? "" };
      expect(await appendRecord(db, first)).toEqual({ sum: rowOf(first).sum });
    });

    test("a record does not follow one that the database has lost", async () => {
      const { db } = await openScene(dialect);
      const lost = { nodeId: "node-1", epoch: 1, seq: 2, calls: 1, body: "[[],[],[]]" };
      await append(db, [charge("a", 30)]);
      expect(await appendRecord(db, { ...lost, before: "another" })).toBe("behind");
      expect(await appendRecord(db, { ...lost, seq: 3, before: "" })).toBe("behind");
      const { sum } = await readJournalEnd(db, "node-1");
      await applyUpTo(db, 1);
      expect(await appendRecord(db, { ...lost, before: sum })).toMatchObject({});
    });

    test("the first record of a node, sent twice, is not written again behind the books", async () => {
      const { db } = await openScene(dialect);
      await append(db, [charge("a", 30)]);
      const [row] = await db.selectFrom("journal").selectAll().execute();
      await applyUpTo(db, 1);
      const late = { nodeId: "node-1", epoch: 1, seq: 1, calls: 1, before: "" };
      expect(await appendRecord(db, { ...late, body: row?.body ?? "" })).toBe("behind");
      expect(await db.selectFrom("journal").selectAll().execute()).toEqual([]);
    });

    test("a call that was answered is charged before the holds of its dead node end", async () => {
      const books = await openScene(dialect);
      const { db } = books;
      await hold(books, dialect, "a", 70);
      await hold(books, dialect, "b", 50);
      await append(db, [charge("a", 30)]);
      await db.transaction().execute(async (tx) => await endEpochs(tx, ["node-1"], null));
      const release = async (): Promise<number> =>
        await db.transaction().execute(async (tx) => await releaseInterrupted(tx, "node-1"));
      expect(await release()).toBe(0);
      expect(await db.selectFrom("reservations").select("id").execute()).toHaveLength(2);
      const apply = async (): Promise<boolean> =>
        await db.transaction().execute(async (tx) => await applyEnded(tx, "node-1", false));
      expect(await apply()).toBeTrue();
      expect(await apply()).toBeFalse();
      expect(await release()).toBe(1);
      expect(await books.readUser(1)).toMatchObject({ balance: 970, held: 0 });
      const logs = await db
        .selectFrom("logs")
        .select(["request_id", "type"])
        .orderBy("id")
        .execute();
      expect(logs).toEqual([
        { request_id: "a", type: 2 },
        { request_id: "b", type: 5 },
      ]);
    });

    test("one operation of many that the books refuse is left out and named; the others are in", async () => {
      const books = await openScene(dialect);
      const { db } = books;
      await hold(books, dialect, "bad", 20);
      const good = Array.from({ length: 60 }, (_, index) => charge(`good-${index}`, 1));
      const stranger = charge("stranger", 5, { userId: 77 });
      await append(db, good.slice(0, 40));
      await append(db, [...good.slice(40), stranger]);
      expect(applyUpTo(db, 2)).rejects.toThrow("user 77 has no balance");
      expect(await applyUpTo(db, 2, true)).toEqual({ applied: 2, refused: 1 });
      expect(await books.readUser(1)).toMatchObject({ balance: 940, used: 60 });
      // Its user finds it in the log, as a charge that is pending.
      const pending = await db
        .selectFrom("logs")
        .select(["user_id", "quota", "content"])
        .where("request_id", "=", "stranger")
        .execute();
      expect(pending).toEqual([{ user_id: 77, quota: 0, content: "扣费待管理员处理" }]);
      expect(await findJournalFlaw(db)).toMatchObject({
        check: "T16",
        table: "journal_refused",
        reason: expect.stringContaining("request_id=stranger"),
      });
    });

    test("a charge that the stored balance cuts is a flaw", async () => {
      const books = await openScene(dialect);
      await append(books.db, [charge("a", 3_000)]);
      expect(await applyUpTo(books.db, 1)).toEqual({ applied: 1, refused: 1 });
      expect(await findJournalFlaw(books.db)).toMatchObject({
        reason: expect.stringContaining("cut: 1000 was charged of 3000"),
      });
    });

    describe("what is altered from outside is named by the audit and by what applies it", () => {
      test("a record that was changed", async () => {
        const { db } = await openRecords(dialect);
        await db
          .updateTable("journal")
          .set(({ fn, ref, val }) => ({
            body: fn<string>("replace", [ref("body"), val('"two"'), val('"owt"')]),
          }))
          .execute();
        expect(await findJournalFlaw(db)).toMatchObject({ row: "node_id=node-1 seq=2" });
        expect(await applyUpTo(db, 3)).toEqual({ applied: 3, refused: 1 });
        expect(await refusedKinds(db)).toEqual(["changed"]);
      });

      test("a record that is missing", async () => {
        const { db } = await openRecords(dialect);
        await db.deleteFrom("journal").where("seq", "=", 2).execute();
        expect(await findJournalFlaw(db)).toMatchObject({ reason: "follows record 1" });
        expect(await applyUpTo(db, 3)).toEqual({ applied: 3, refused: 1 });
        expect(await refusedKinds(db)).toEqual(["missing"]);
      });

      test("a mark that is ahead of the books", async () => {
        const { db } = await openRecords(dialect);
        await applyUpTo(db, 1);
        await db.updateTable("journal_heads").set({ applied: 2 }).execute();
        expect(await findJournalFlaw(db)).toMatchObject({ row: "node_id=node-1 seq=2" });
        expect((await applyUpTo(db, 3)).refused).toBeGreaterThan(0);
        expect(await refusedKinds(db)).toContain("behind");
      });

      test("a record that comes a second time", async () => {
        const { db } = await openRecords(dialect);
        const [first] = await db.selectFrom("journal").selectAll().where("seq", "=", 1).execute();
        await applyUpTo(db, 3);
        const { seq, sum } = await readJournalEnd(db, "node-1");
        const body = first?.body ?? "";
        const twice = { nodeId: "node-1", epoch: 1, seq: seq + 1, calls: 1, body, before: sum };
        await appendRecord(db, twice);
        expect(applyUpTo(db, 4)).rejects.toThrow();
        expect(await applyUpTo(db, 4, true)).toEqual({ applied: 4, refused: 1 });
        expect(await refusedKinds(db)).toEqual(["failed"]);
      });

      test("a record that this version cannot read is kept", async () => {
        const { db } = await openRecords(dialect);
        const kept = { nodeId: "node-1", epoch: 1, seq: 4, calls: 1, body: "{}" };
        const { sum } = await readJournalEnd(db, "node-1");
        await appendRecord(db, { ...kept, before: sum });
        expect(await findJournalFlaw(db)).toMatchObject({ row: "node_id=node-1 seq=4" });
        expect(await applyUpTo(db, 4)).toEqual({ applied: 4, refused: 1 });
        expect(await refusedKinds(db)).toEqual(["unreadable"]);
      });
    });
  });
}

test("a record of format 1 is read", async () => {
  const { db, readUser } = await openScene("sqlite");
  // As the first version with a journal has written it.
  const body =
    '[["alice","laptop","gpt-4o","","default","203.0.113.9"],[{"fixed":"","model":"1",' +
    '"completion":"1","group":"1","cache":"1","cacheCreation":"1.25","cacheHour":"2","audio":"20",' +
    '"audioCompletion":"2"}],[["settle","old",true,30,30,["old",1763700000,1,0,1,1,[5],2,3,4,2,40,' +
    'true,5,[],3],[[10,0,0,0,0,0,0,0,0,0],"upstream",1,0,3,3,false,0,null,0,""]]]]';
  const row = { nodeId: "node-1", epoch: 1, seq: 1, calls: 1, body, before: "" };
  await append(db, [charge("new", 1)]);
  await db.deleteFrom("journal").execute();
  await appendRecord(db, row);
  expect(await applyUpTo(db, 1)).toEqual({ applied: 1, refused: 0 });
  expect(await readUser(1)).toMatchObject({ balance: 970 });
});

async function openScene(dialect: Dialect): Promise<TestBooks> {
  const books = await openTestBooks(dialect);
  await books.addUser("alice", 1_000);
  await books.addToken(1, "laptop", 1_000);
  return books;
}

/** A scene with three records of one call each that are not in the books. */
async function openRecords(dialect: Dialect): Promise<TestBooks> {
  const books = await openScene(dialect);
  for (const id of ["one", "two", "six"]) await append(books.db, [charge(id, 10)]);
  return books;
}

async function hold(books: TestBooks, dialect: Dialect, id: string, amount: number): Promise<void> {
  if (dialect === "postgres") await books.apply([take(amount, { id })]);
  else await books.apply([{ type: "open", facts: facts({ id }), amount }]);
}

function charge(id: string, amount: number, parts: { readonly userId?: number } = {}): Operation {
  return settle(amount, { id, charged: amount, ...parts });
}

async function refusedKinds(db: TestBooks["db"]): Promise<string[]> {
  const rows = await db.selectFrom("journal_refused").select("kind").orderBy("id").execute();
  return rows.map(({ kind }) => kind);
}
