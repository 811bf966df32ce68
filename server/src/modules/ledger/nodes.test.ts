import { afterEach, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import { applyBatch } from "./batch.ts";
import {
  beat,
  endEpochs,
  endOtherEpochs,
  findLostNodes,
  joinNodes,
  nodeDeadMs,
  readLineage,
  rejoinNodes,
  removeNodes,
} from "./nodes.ts";
import {
  applyAs,
  closeTestBooks,
  epochOf,
  facts,
  openTestBooks,
  release,
  settle,
  take,
  type TestBooks,
  waitForLock,
} from "./testing/books.ts";
import { failedLog } from "./testing/calls.ts";

afterEach(closeTestBooks);

/** Moves one of the node's stored times back by `ms`. */
async function age(db: Db, nodeId: string, ms: number, column = "heartbeat_at"): Promise<void> {
  await sql`update nodes set ${sql.ref(column)} = ${sql.ref(column)} - ${sql.lit(ms)}
    where id = ${nodeId}`.execute(db);
}

/** Adds a node that has watched the others for so long that it may end their epochs. */
async function joinWatching(db: Db): Promise<void> {
  await joinNodes(db, { nodeId: "watching", epoch: 0 });
  await age(db, "watching", nodeDeadMs + 100, "started_at");
}

if (testDialects.includes("postgres")) {
  describe("a node is taken for dead", () => {
    test("when it was silent for ten seconds in which the other one was not", async () => {
      const { db } = await openTestBooks("postgres");
      await joinWatching(db);
      await joinNodes(db, { nodeId: "silent", epoch: 0 });
      await age(db, "silent", nodeDeadMs - 2_000);
      expect((await findLostNodes(db, "watching")).silent).toEqual([]);
      await age(db, "silent", 2_100);
      expect((await findLostNodes(db, "watching")).silent).toEqual(["silent"]);
      // The node `silent` has just joined, so it has not watched the other node for long enough to
      // find it dead.
      expect((await findLostNodes(db, "silent")).silent).toEqual([]);
    });

    // While the database is away, no node can send heartbeats. The first node to return must not
    // end the epochs of the others, because their calls continue.
    test("but not when the database was away for all of them", async () => {
      const { db } = await openTestBooks("postgres");
      await joinWatching(db);
      await joinNodes(db, { nodeId: "other", epoch: 0 });
      for (const id of ["watching", "other"]) await age(db, id, 60_000);
      expect((await beat(db, { nodeId: "watching", epoch: 1 }, 0)).kind).toBe("acknowledged");
      expect((await findLostNodes(db, "watching")).silent).toEqual([]);
      expect(await endEpochs(db, ["other"], "watching")).toEqual([]);
    });

    test("by the database's clock, whatever the node's own clock says", async () => {
      const { db } = await openTestBooks("postgres");
      const { rows } = await sql<{ ms: number }>`
        select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as ms`.execute(db);
      const now = Date.now;
      Date.now = () => now() + 3_600_000;
      try {
        await joinNodes(db, { nodeId: "ahead", epoch: 0 });
        await beat(db, { nodeId: "ahead", epoch: 1 }, 0);
      } finally {
        Date.now = now;
      }
      const node = await db.selectFrom("nodes").selectAll().executeTakeFirstOrThrow();
      expect(node.heartbeat_at - (rows[0]?.ms ?? 0)).toBeWithin(0, 60_000);
    });
  });

  describe("a database that went back", () => {
    test("is noticed by a heartbeat or an epoch that is missing, and by a row that is gone", async () => {
      const { db } = await openTestBooks("postgres");
      const first = await rejoinNodes(db, { nodeId: "node", epoch: 0 }, 0);
      expect(first.isBehind).toBeFalse();
      const node = { nodeId: "node", epoch: first.epoch };
      const answer = await beat(db, node, first.atMs);
      const seenMs = answer.kind === "acknowledged" ? answer.atMs : 0;
      expect(seenMs).toBeGreaterThanOrEqual(first.atMs);

      await age(db, "node", 1);
      expect(await beat(db, node, seenMs)).toEqual({ kind: "behind" });
      const again = await rejoinNodes(db, node, seenMs);
      expect([again.isBehind, again.epoch > first.epoch]).toEqual([true, true]);
      const present = { nodeId: "node", epoch: again.epoch };
      expect((await beat(db, present, again.atMs)).kind).toBe("acknowledged");
      const later = { nodeId: "node", epoch: again.epoch + 1 };
      expect(await beat(db, later, 0)).toEqual({ kind: "behind" });
      expect(await beat(db, node, 0)).toEqual({ kind: "ended" });
      await db.deleteFrom("nodes").execute();
      expect(await beat(db, node, 0)).toEqual({ kind: "behind" });
      expect((await rejoinNodes(db, node, 0)).isBehind).toBeTrue();
    });

    test("is noticed by its history, unless the server does not tell it", async () => {
      const { db } = await openTestBooks("postgres");
      expect(await readLineage(db)).toMatch(/^\d+:[0-9A-F]{8}$/);
      const tx = await db.startTransaction().execute();
      const role = `plain_${crypto.randomUUID().replaceAll("-", "")}`;
      await sql`create role ${sql.id(role)}`.execute(tx);
      await sql`revoke execute on function pg_control_system() from public`.execute(tx);
      await sql`set local role ${sql.id(role)}`.execute(tx);
      expect(await readLineage(tx)).toBe("");
      await tx.rollback().execute();
    });

    test("has nobody taken for dead by a node that sends no heartbeats itself", async () => {
      const { db } = await openTestBooks("postgres");
      await joinWatching(db);
      await joinNodes(db, { nodeId: "other", epoch: 0 });
      for (const id of ["watching", "other"]) await age(db, id, 60_000);
      await age(db, "watching", 60_000, "started_at");
      expect((await findLostNodes(db, "watching")).silent).toEqual([]);
    });
  });

  describe("an epoch that has ended", () => {
    const open = async (): Promise<TestBooks> => {
      const books = await openTestBooks("postgres");
      await books.addUser("alice", 1_000);
      await books.addToken(1, "laptop", 300);
      await applyAs(books.db, "node", [take(100, { id: "a" })]);
      return books;
    };
    const apply = async ({ db }: TestBooks, operations: Parameters<typeof applyAs>[2]) =>
      await db
        .transaction()
        .execute(
          async (tx) =>
            await applyBatch(tx, { nodeId: "node", epoch: 1, again: false, operations }),
        );

    test("commits nothing any more: no grant, no charge, no row of a failure", async () => {
      const books = await open();
      await endEpochs(books.db, ["node"], null);
      for (const operations of [
        [take(100, { id: "b" })],
        [settle(30, { id: "a" })],
        [release({ id: "a" })],
        [{ type: "fail", log: failedLog({ requestId: "failed" }) } as const],
      ]) {
        expect(await apply(books, operations)).toBe("fenced");
      }
      expect(await books.readUser(1)).toEqual({ balance: 1_000, held: 100, used: 0 });
      expect(await books.db.selectFrom("logs").selectAll().execute()).toEqual([]);
    });

    test("does not end while its batch is committing, and ends at the next check", async () => {
      const books = await open();
      const applied = Promise.withResolvers<void>();
      const commit = Promise.withResolvers<void>();
      const first = books.db.transaction().execute(async (tx) => {
        const batch = {
          nodeId: "node",
          epoch: 1,
          again: false,
          operations: [take(9, { id: "b" })],
        };
        await applyBatch(tx, batch);
        applied.resolve();
        await commit.promise;
      });
      await applied.promise;
      // A batch that has locked the epoch does not block the node's heartbeat.
      expect((await beat(books.db, { nodeId: "node", epoch: 1 }, 0)).kind).toBe("acknowledged");
      expect(await endEpochs(books.db, ["node"], null)).toEqual([]);
      commit.resolve();
      await first;
      expect(await endEpochs(books.db, ["node"], null)).toEqual(["node"]);
      expect((await beat(books.db, { nodeId: "node", epoch: 1 }, 0)).kind).toBe("ended");
    });

    // The batch reads the node's row before the transaction that ends the epoch commits. Having
    // waited for that transaction, it must notice that the epoch has ended.
    test("is noticed by a batch that waits while it ends", async () => {
      const books = await open();
      const ended = Promise.withResolvers<void>();
      const commit = Promise.withResolvers<void>();
      const ending = books.db.transaction().execute(async (tx) => {
        await endEpochs(tx, ["node"], null);
        ended.resolve();
        await commit.promise;
      });
      await ended.promise;
      const batch = apply(books, [take(100, { id: "b" })]);
      await waitForLock(books.address);
      commit.resolve();
      await ending;

      expect(await batch).toBe("fenced");
      expect(await books.readUser(1)).toMatchObject({ held: 100 });
    });

    test("is followed by a later one, even if the node was removed meanwhile", async () => {
      const { db } = await openTestBooks("postgres");
      expect(await joinNodes(db, { nodeId: "node", epoch: 0 })).toBe(1);
      await endEpochs(db, ["node"], null);
      expect(await joinNodes(db, { nodeId: "node", epoch: 1 })).toBe(3);
      await db.deleteFrom("nodes").execute();
      expect(await joinNodes(db, { nodeId: "node", epoch: 3 })).toBe(4);
    });
  });
}

for (const dialect of testDialects) {
  describe(`on ${dialect}`, () => {
    test("reservations of ended nodes are found, those of living nodes are not", async () => {
      const books = await openTestBooks(dialect);
      await books.addUser("alice", 1_000);
      await books.addToken(1, "laptop", 300);
      for (const node of ["alive", "dead", "gone"]) {
        const operation =
          dialect === "postgres"
            ? take(10, { id: node })
            : ({ type: "open", facts: facts({ id: node }), amount: 10 } as const);
        await applyAs(books.db, node, [operation]);
      }
      await endEpochs(books.db, ["dead"], null);
      await books.db.deleteFrom("nodes").where("id", "=", "gone").execute();
      const { ended } = await findLostNodes(books.db, "alive");
      expect(ended.toSorted()).toEqual(["dead", "gone"]);

      // A node with reservations left is not removed, because their holds have yet to be released.
      await removeNodes(books.db, ["dead"], null);
      expect(await epochOf(books.db, "dead")).toBe(2);
      await books.db.deleteFrom("reservations").where("id", "=", "dead").execute();
      await removeNodes(books.db, ["dead"], null);
      const left = await books.db.selectFrom("nodes").select("id").execute();
      expect(left).toEqual([{ id: "alive" }]);
    });
  });
}

if (testDialects.includes("sqlite")) {
  test("the owner of a SQLite database ends every epoch but its own", async () => {
    const { db } = await openTestBooks("sqlite");
    for (const nodeId of ["before", "owner"]) await joinNodes(db, { nodeId, epoch: 0 });
    expect(await endOtherEpochs(db, "owner")).toEqual(["before"]);
    expect([await epochOf(db, "before"), await epochOf(db, "owner")]).toEqual([2, 1]);
  });
}
