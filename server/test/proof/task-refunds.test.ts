/**
 * Charges and refunds of tasks, in every order in which what concerns a task can happen: promise
 * P-M8 and the rules of `tasks.store.ts`.
 */

import { afterAll, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import type { Dialect } from "#db/dialect.ts";
import { bindStore } from "#db/store.ts";
import { testDialects } from "#db/testing/database.ts";
import { refundCharge } from "#modules/ledger/ledger.ts";
import { proveLedger } from "#modules/ledger/proof/proof.ts";
import {
  applyAs,
  closeTestBooks,
  facts,
  loseNode,
  openTestBooks,
  setUpMs,
  type TestBooks,
} from "#modules/ledger/testing/books.ts";
import { taskStore } from "#modules/tasks/tasks.store.ts";
import {
  newTask,
  submittedMs,
  taskCost,
  taskLog,
  taskState,
} from "#modules/tasks/testing/task-samples.ts";

afterAll(closeTestBooks);

const events = ["answer", "callback", "poll", "timeout", "kill"] as const;
type Event = (typeof events)[number];
const outcomes = ["SUCCESS", "FAILURE", "IN_PROGRESS"] as const;

function ordersOf<Item>(items: readonly Item[]): Item[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((first) =>
    ordersOf(items.filter((item) => item !== first)).map((rest) => [first, ...rest]),
  );
}

/** How many users have their tasks at the same time. */
const lanes = 6;

async function openScene(dialect: Dialect) {
  return await sceneOf(await openTestBooks(dialect), dialect, 0);
}

async function sceneOf(books: TestBooks, dialect: Dialect, lane: number) {
  const userId = await books.addUser(`alice${lane}`, 1_000 * taskCost);
  const limited = await books.addToken(userId, "laptop", 1_000 * taskCost);
  const free = await books.addToken(userId, "phone", 0);
  return { books, dialect, userId, limited, free, store: bindStore(taskStore, books.db) };
}
type Scene = Awaited<ReturnType<typeof openScene>>;

/** Submits a task at a node of its own, up to the moment in which its request is sent. */
async function submit(
  { books, dialect, store, userId, limited, free }: Scene,
  id: string,
  isLimited: boolean,
) {
  const tokenId = isLimited ? limited : free;
  const task = newTask({
    task_id: id,
    user_id: userId,
    token_id: tokenId,
    token_limited: isLimited ? 1 : 0,
  });
  const call = { id, userId, tokenId, tokenLimited: isLimited, modelName: "mj_imagine" };
  const take = { type: "take", facts: facts(call), want: taskCost, least: taskCost } as const;
  const open = { type: "open", facts: facts(call), amount: taskCost } as const;
  await applyAs(books.db, `node-${id}`, [dialect === "sqlite" ? open : take]);
  await store.addTask(task);
  return { task, tokenLimited: isLimited };
}

async function happen(
  { books, store }: Scene,
  { task, tokenLimited }: Awaited<ReturnType<typeof submit>>,
  event: Event,
  outcome: (typeof outcomes)[number],
): Promise<void> {
  const id = task.task_id;
  switch (event) {
    case "answer": {
      const log = taskLog(task, `up-${id}`);
      const settle = { type: "settle", id, tokenLimited, charge: taskCost, charged: null, log };
      // A task that has ended meanwhile refuses its charge.
      await applyAs(books.db, `node-${id}`, [{ ...settle, type: "settle" }]).catch(() => {});
      return;
    }
    case "callback":
    case "poll": {
      const told = { taskId: id, state: taskState(outcome), nowMs: submittedMs + 60_000 };
      await store.noteState(told);
      return;
    }
    case "timeout": {
      const nowMs = submittedMs + 3_600_000;
      const row = await store.findTask(id, null);
      if (row?.upstream_id === "") {
        await store.endUnsubmitted({ taskId: id, status: "UNKNOWN", code: 0, reason: "", nowMs });
      } else await store.failTask(id, "too late", nowMs);
      return;
    }
    case "kill":
      await loseNode(books.db, `node-${id}`);
  }
}

async function kindsOf({ db }: TestBooks, id: string): Promise<string> {
  const rows = await db
    .selectFrom("entries")
    .select(["kind", "amount"])
    .where("cause", "in", [`settle:${id}`, `refund:${id}`])
    .orderBy("seq")
    .execute();
  return rows.map(({ kind, amount }) => `${kind} ${amount}`).join(", ");
}

const charged = `settle -${taskCost}`;
const refunded = `${charged}, refund ${taskCost}`;

type Play = {
  readonly id: string;
  readonly outcome: (typeof outcomes)[number];
  readonly order: readonly Event[];
  readonly isLimited: boolean;
};

/** Lets one task live through the events in this order, and checks what is left of it. */
async function play(scene: Scene, { id, outcome, order, isLimited }: Play): Promise<void> {
  const told = `${outcome}: ${order.join(", ")}`;
  const submitted = await submit(scene, id, isLimited);
  // On SQLite a killed process is gone; on PostgreSQL it may only have been slow.
  const dead = scene.dialect === "sqlite" && order.indexOf("kill") < order.indexOf("answer");
  const seen = dead ? order.filter((event) => event !== "answer") : order;
  for (const event of seen) await happen(scene, submitted, event, outcome);
  // Whatever still runs ends by its deadline.
  await happen(scene, submitted, "timeout", outcome);

  const row = await scene.store.findTask(id, null);
  const at = (event: Event): number => order.indexOf(event);
  const accepted = at("answer") < at("timeout") && at("answer") < at("kill");
  const heard = Math.max(at("callback"), at("poll")) > at("answer");
  const first = [at("callback"), at("poll")].filter((when) => when > at("answer"));
  const succeeds = outcome === "SUCCESS" && Math.min(...first, 9) < at("timeout");
  const entries = await kindsOf(scene.books, id);
  expect(entries, told).toBe(!accepted ? "" : succeeds ? charged : refunded);
  const late = outcome === "SUCCESS" && heard;
  const status = !accepted ? "UNKNOWN" : late ? "SUCCESS" : "FAILURE";
  expect(row, told).toMatchObject({
    status,
    quota: accepted ? taskCost : 0,
    refunded: accepted && !succeeds ? taskCost : 0,
    loss: !accepted || (late && !succeeds) ? taskCost : 0,
  });
}

for (const dialect of testDialects) {
  describe(`a task on ${dialect}`, () => {
    test("is charged at most once and refunded at most once, in whatever order things happen", async () => {
      const books = await openTestBooks(dialect);
      // Nothing here is about what a power cut loses.
      if (dialect === "sqlite") await sql`pragma synchronous = off`.execute(books.db);
      const scenes = await Promise.all(
        Array.from({ length: lanes }, async (_, lane) => await sceneOf(books, dialect, lane)),
      );
      const all = outcomes.flatMap((outcome) =>
        ordersOf(events).map((order) => ({ outcome, order })),
      );
      const next = all.entries();
      const work = async (scene: Scene): Promise<void> => {
        for (const [number, { outcome, order }] of next) {
          await play(scene, { id: `T${number}`, outcome, order, isLimited: number % 2 === 0 });
        }
      };
      await Promise.all(scenes.map(work));
      const { count } = await books.db
        .selectFrom("tasks")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      expect(Number(count)).toBe(120 * outcomes.length);
      expect((await proveLedger(books.db)).flaw).toBeNull();
    });

    test("gives balance, token and the sums of its own hour back, and its call still counts", async () => {
      const scene = await openScene(dialect);
      for (const isLimited of [true, false]) {
        const id = isLimited ? "Ta" : "Tb";
        const tokenId = isLimited ? scene.limited : scene.free;
        const before = [
          await scene.books.readUser(scene.userId),
          await scene.books.readToken(tokenId),
        ];
        const submitted = await submit(scene, id, isLimited);
        await happen(scene, submitted, "answer", "FAILURE");
        expect((await scene.books.readUser(scene.userId)).used).toBe(taskCost);
        await happen(scene, submitted, "poll", "FAILURE");
        const after = [
          await scene.books.readUser(scene.userId),
          await scene.books.readToken(tokenId),
        ];
        expect(after).toEqual(before);
      }
      const { db } = scene.books;
      const hours = await db.selectFrom("usage_hours").select(["quota", "request_count"]).execute();
      expect(hours).toEqual([
        { quota: 0, request_count: 1 },
        { quota: 0, request_count: 1 },
      ]);
      const logs = await db
        .selectFrom("logs")
        .select(["type", "quota", "refunded"])
        .orderBy("id")
        .execute();
      const charge = { type: 2, quota: taskCost, refunded: taskCost };
      const note = { type: 4, quota: taskCost, refunded: 0 };
      expect(logs).toEqual([charge, note, charge, note]);
    });

    test("is refunded once, whoever asks the ledger for it again", async () => {
      const scene = await openScene(dialect);
      const submitted = await submit(scene, "T1", true);
      await happen(scene, submitted, "answer", "SUCCESS");
      const { userId, limited: tokenId, books } = scene;
      const facts = { requestId: "T1", userId, tokenId, tokenLimited: true };
      const more = { modelName: "mj_imagine", group: "default", detail: "", nowMs: submittedMs };
      const refund = async () =>
        await books.db
          .transaction()
          .execute(async (tx) => await refundCharge(tx, { ...facts, ...more }));
      expect((await refund())?.amount).toBe(taskCost);
      expect(await refund()).toBeUndefined();
      expect(await kindsOf(books, "T1")).toBe(refunded);
    });

    test("whose upstream repeats the id of another task of the channel costs nothing", async () => {
      const scene = await openScene(dialect);
      const one = await submit(scene, "T1", true);
      await happen(scene, one, "answer", "SUCCESS");
      const other = await submit(scene, "T2", true);
      const log = taskLog(other.task, "up-T1");
      const settle = { type: "settle", id: "T2", tokenLimited: true, charge: taskCost } as const;
      const again = applyAs(scene.books.db, "node-T2", [{ ...settle, charged: null, log }]);

      await expect(again).rejects.toThrow();
      expect(await kindsOf(scene.books, "T2")).toBe("");
    });

    test("is claimed by one node until the lease ends", async () => {
      const scene = await openScene(dialect);
      const due = setUpMs;
      for (let number = 0; number < 3; number += 1) {
        await scene.store.addTask(newTask({ task_id: `T${number}`, due_at: due }));
      }
      const [mine, theirs] = await Promise.all([scene.store.claimDue(), scene.store.claimDue()]);
      const ids = [...mine, ...theirs].map((row) => row.task_id).toSorted();
      expect(ids).toEqual(["T0", "T1", "T2"]);
      expect(await scene.store.claimDue()).toEqual([]);
    });

    test("that went wrong goes on only forward", async () => {
      const scene = await openScene(dialect);
      const submitted = await submit(scene, "T1", true);
      await happen(scene, submitted, "answer", "SUCCESS");
      const tell = async (status: "FAILURE" | "IN_PROGRESS" | "SUCCESS", progress: number) =>
        await scene.store.noteState({
          taskId: "T1",
          state: taskState(status, progress),
          nowMs: submittedMs + 1,
        });
      await tell("IN_PROGRESS", 60);
      await tell("IN_PROGRESS", 20);
      expect(await scene.store.findTask("T1", null)).toMatchObject({ progress: 60 });
      await tell("SUCCESS", 100);
      await tell("FAILURE", 100);
      expect(await scene.store.findTask("T1", null)).toMatchObject({
        status: "SUCCESS",
        refunded: 0,
      });
      expect(await kindsOf(scene.books, "T1")).toBe(charged);
    });
  });
}
