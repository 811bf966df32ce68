/**
 * Two nodes on one database, with lanes, journal, books and recovery as the product has them: the
 * order of everything is drawn by a seed, answers get lost, nodes are taken for dead while they run,
 * die and start again, and records are held back from the books.
 */

import { afterEach, expect, test } from "bun:test";
import { sql } from "kysely";
import { type Random, seededRandom } from "#base/testing/random.ts";
import type { Db } from "#db/database.ts";
import { StoreUnavailable } from "#db/store-unavailable.ts";
import { applyBatch } from "#modules/ledger/batch.ts";
import { decodeBatch, encodeBatch } from "#modules/ledger/batch-text.ts";
import { endEpochs, joinNodes } from "#modules/ledger/nodes.ts";
import type { Batch } from "#modules/ledger/operations.ts";
import { findJournalFlaw } from "#modules/proof/proof.ts";
import type { SendAnswer } from "#modules/ledger/queue.ts";
import { releaseInterrupted } from "#modules/ledger/recovery.ts";
import {
  closeTestBooks,
  openTestBooks,
  release,
  settle,
  take,
} from "#modules/ledger/testing/books.ts";
import { applyEnded, applyRecords } from "./apply-records.ts";
import { openJournal } from "./journal.ts";
import { type Lanes, openLanes } from "./lanes.ts";
import { appendRecord, readJournalEnd } from "./records.ts";

const isLong = process.env["TOLLGATE_TEST_LONG"] === "1";
const seeds = isLong ? 200 : 6;
const steps = 60;
const opening = 100_000;
const held = 50;

afterEach(closeTestBooks);

test(
  "what a client was told is charged once and nothing else is, whatever happens to two nodes",
  async () => {
    const counts = { told: 0, fenced: 0, died: 0, lost: 0 };
    for (let seed = 1; seed <= seeds; seed += 1) {
      await play(seed, counts);
      await closeTestBooks();
    }
    // Each kind of trouble has happened.
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0);
  },
  seeds * 60_000,
);

type Counts = { told: number; fenced: number; died: number; lost: number };

/** What clients know of the calls. */
type World = {
  readonly db: Db;
  readonly random: Random;
  readonly counts: Counts;
  /** Calls whose answers came whole: they must be charged. */
  readonly told: Set<string>;
  /** Calls that a node has given back: they must not be charged. */
  readonly released: Set<string>;
  lastCall: number;
};

async function play(seed: number, counts: Counts): Promise<void> {
  const books = await openTestBooks("postgres");
  await books.addUser("alice", opening);
  await books.addToken(1, "laptop", opening);
  const random = seededRandom(seed);
  const { db } = books;
  const world: World = { db, random, counts, told: new Set(), released: new Set(), lastCall: 0 };
  const nodes = [await openNode(world, "a"), await openNode(world, "b")];
  const ids = nodes.map(({ id }) => id);
  for (let step = 0; step < steps; step += 1) {
    const index = random.below(nodes.length);
    const [node, other] = [nodes[index], nodes[1 - index]];
    if (node === undefined || other === undefined) break;
    const dice = random.below(100);
    if (dice < 45) node.begin(seed);
    else if (dice < 70) node.endSome();
    else if (dice < 82) await node.applySome();
    else if (dice < 92) await untilIdle(random.below(4));
    else if (dice < 97) await takeForDead(world, other.id);
    else {
      node.die();
      counts.died += 1;
      const next = await openNode(world, `${node.id}${step}`);
      nodes[index] = next;
      ids.push(next.id);
      await takeForDead(world, node.id);
    }
  }
  for (const node of nodes) await node.finish();
  // Also those that have died before: their last transaction may have kept their epoch from ending.
  for (const id of ids) await takeForDead(world, id);
  await judge(world);
}

/** Does what other nodes do with one that is silent, whether or not it still runs. */
async function takeForDead({ db, counts }: World, id: string): Promise<void> {
  await db.transaction().execute(async (tx) => await endEpochs(tx, [id], null));
  counts.fenced += 1;
  const apply = async (): Promise<boolean> =>
    await db.transaction().execute(async (tx) => await applyEnded(tx, id, false));
  while (await apply());
  await db.transaction().execute(async (tx) => await releaseInterrupted(tx, id));
}

async function judge({ db, told, released }: World): Promise<void> {
  expect(await findJournalFlaw(db)).toBeNull();
  expect((await db.selectFrom("journal").selectAll().execute()).length).toBe(0);
  expect((await db.selectFrom("reservations").selectAll().execute()).length).toBe(0);
  const {
    balance,
    held: left,
    used,
  } = await db
    .selectFrom("balances")
    .select(["balance", "held", "used"])
    .where("user_id", "=", 1)
    .executeTakeFirstOrThrow();
  expect([left, balance + used]).toEqual([0, opening]);
  const { rows } = await sql<{ request_id: string; type: number; quota: number }>`
    select request_id, type, quota from logs order by id`.execute(db);
  const ids = rows.map((row) => row.request_id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  const charged = new Set(rows.filter(({ type }) => type === 2).map((row) => row.request_id));
  expect([...told].filter((id) => !charged.has(id))).toEqual([]);
  expect([...charged].filter((id) => released.has(id))).toEqual([]);
  expect(used).toBe(rows.reduce((sum, { quota }) => sum + quota, 0));
}

/** Lets what is under way go on. */
async function untilIdle(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await Bun.sleep(1);
}

type Node = {
  readonly id: string;
  begin(seed: number): void;
  /** Ends one of its calls, as charged or as given back. */
  endSome(): void;
  applySome(): Promise<void>;
  die(): void;
  /** Ends all its calls and waits until everything is committed. */
  finish(): Promise<void>;
};

async function openNode(world: World, id: string): Promise<Node> {
  const { db, random } = world;
  const link = openLink(world);
  let epoch = await db
    .transaction()
    .execute(async (tx) => await joinNodes(tx, { nodeId: id, epoch: 0 }));
  const open = new Set<string>();
  let noted = 0;
  const journal = openJournal({
    store: {
      appendRecord: async (record) => await link(async () => await appendRecord(db, record)),
      readJournalEnd: async (node) => await link(async () => await readJournalEnd(db, node)),
    },
    books: { note: (seq) => void (noted = Math.max(noted, seq)), room: () => undefined },
  });
  const applyAll = async (): Promise<void> => {
    await db.transaction().execute(async (tx) => await applyRecords(tx, id, noted, false));
  };
  const lanes: Lanes = openLanes({
    nodeId: id,
    epoch: () => epoch,
    async rejoin(ended) {
      if (ended !== epoch) return;
      epoch = await db
        .transaction()
        .execute(async (tx) => await joinNodes(tx, { nodeId: id, epoch }));
      lanes.noteEpoch([...open]);
    },
    journal,
    books: { barrier: applyAll },
    apply: async (batch) => await sendDirect(link, db, batch),
    elapsed: () => performance.now(),
    wait: async () => await Bun.sleep(1),
    onRefused(operation, error) {
      if (link.isAlive()) throw new Error(`${operation.type} was refused: ${String(error)}`);
    },
    onStoreState() {},
  });

  function endCall(call: string): void {
    open.delete(call);
    if (random.chance(0.2)) {
      world.released.add(call);
      lanes.post(release({ id: call }));
      return;
    }
    // Some cost more than they hold, which only the database can decide.
    const amount = random.chance(0.1) ? held + 5 : random.below(held + 1);
    const charged = amount <= held ? { charged: amount } : {};
    lanes.push(settle(amount, { id: call, ...charged })).then(
      (result) => {
        // A call that was told free while its node was taken for dead stays free.
        if (!link.isAlive() || result.type !== "settled" || result.charged === 0) return;
        world.told.add(call);
        world.counts.told += 1;
      },
      () => {},
    );
  }

  return {
    id,
    begin(seed) {
      const call = `call-${seed}-${(world.lastCall += 1)}`;
      lanes.push(take(held, { id: call })).then(
        ({ type }) => {
          if (type === "taken" && link.isAlive()) open.add(call);
        },
        () => {},
      );
    },
    endSome() {
      const [call] = open;
      if (call !== undefined) endCall(call);
    },
    applySome: applyAll,
    die: link.cut,
    async finish() {
      link.heal();
      // What is taken meanwhile is ended as well.
      do {
        for (const call of open) endCall(call);
        await lanes.drained();
      } while (open.size > 0);
      await applyAll();
    },
  };
}

type Link = {
  <Result>(run: () => Promise<Result>): Promise<Result>;
  isAlive(): boolean;
  cut(): void;
  heal(): void;
};

/** A connection on which questions and answers get lost, until it heals. */
function openLink({ random, counts }: World): Link {
  let isAlive = true;
  let isBad = true;
  const link = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    if (!isAlive) return await new Promise(() => {});
    if (isBad && random.chance(0.05)) throw new StoreUnavailable("the question got lost");
    const result = await run();
    if (!isAlive) return await new Promise(() => {});
    if (isBad && random.chance(0.15)) {
      counts.lost += 1;
      throw new StoreUnavailable("the answer got lost");
    }
    return result;
  };
  return Object.assign(link, {
    isAlive: () => isAlive,
    cut: () => void (isAlive = false),
    heal: () => void (isBad = false),
  });
}

async function sendDirect(link: Link, db: Db, batch: Batch): Promise<SendAnswer> {
  try {
    // As it crosses to the writer.
    const decoded = decodeBatch(encodeBatch(batch));
    const answer = await link(
      async () => await db.transaction().execute(async (tx) => await applyBatch(tx, decoded)),
    );
    return answer === "fenced" ? { kind: "fenced" } : { kind: "committed", results: answer };
  } catch (error) {
    if (error instanceof StoreUnavailable) return { kind: "store-failed", reason: error.reason };
    throw error;
  }
}
