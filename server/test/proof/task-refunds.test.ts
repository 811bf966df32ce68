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
import { proveLedger } from "#modules/proof/proof.ts";
import {
  applyAs,
  closeTestBooks,
  facts,
  loseNode,
  openTestBooks,
  setUpMs,
  type TestBooks,
} from "#modules/ledger/testing/books.ts";
import { type NewTask, taskStore } from "#modules/tasks/tasks.store.ts";
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
/**
 * What the submission's answer says: accepted, refused, or nothing that is whole; and what is told
 * of the task: its success, its failure, or that it runs, so that its end is not known.
 */
const outcomes = ["SUCCESS", "FAILURE", "IN_PROGRESS"] as const;
type Outcome = (typeof outcomes)[number];
/** What each of those events says; a timeout and a kill say nothing. */
type Says = Readonly<Record<"answer" | "callback" | "poll", Outcome>>;

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

/** What the gateway does with an answer by which there is no task. */
async function endWithout(
  { books, store }: Scene,
  { task_id: id, user_id: userId, token_id: tokenId }: NewTask,
  outcome: "FAILURE" | "IN_PROGRESS",
): Promise<void> {
  const status = outcome === "FAILURE" ? "FAILURE" : "UNKNOWN";
  await store.endUnsubmitted({ taskId: id, status, code: 0, reason: "", nowMs: submittedMs });
  // A node that was given up meanwhile has nothing to release.
  await applyAs(books.db, `node-${id}`, [{ type: "release", id, userId, tokenId }]).catch(() => {});
}

async function happen(
  scene: Scene,
  { task, tokenLimited }: Awaited<ReturnType<typeof submit>>,
  event: Event,
  outcome: Outcome,
): Promise<void> {
  const { books, store } = scene;
  const id = task.task_id;
  switch (event) {
    case "answer": {
      if (outcome !== "SUCCESS") return await endWithout(scene, task, outcome);
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

type Play = { readonly order: readonly Event[]; readonly says: Says };

/** On SQLite a killed process is gone; on PostgreSQL it may only have been slow. */
function isDead(order: readonly Event[], dialect: Dialect): boolean {
  return dialect === "sqlite" && order.indexOf("kill") < order.indexOf("answer");
}

/** What the task of a play must have become. */
type End = {
  readonly status: string;
  readonly charge: "" | "charged" | "refunded";
  readonly loss: number;
};

function endOf({ order, says }: Play, dialect: Dialect): End {
  const at = (event: Event): number => order.indexOf(event);
  const isHeard = at("answer") < at("timeout") && !isDead(order, dialect);
  if (says.answer === "FAILURE" && isHeard) {
    return { status: "FAILURE", charge: "", loss: 0 };
  }
  if (says.answer !== "SUCCESS" || at("answer") > Math.min(at("timeout"), at("kill"))) {
    return { status: "UNKNOWN", charge: "", loss: taskCost };
  }
  const told = order
    .slice(at("answer") + 1)
    .filter((event) => event !== "kill")
    // By its deadline, whatever still runs has failed.
    .map((event) => (event === "callback" || event === "poll" ? says[event] : "FAILURE"));
  const [first = "FAILURE"] = told.filter((outcome) => outcome !== "IN_PROGRESS");
  if (first === "SUCCESS") return { status: "SUCCESS", charge: "charged", loss: 0 };
  // A success that comes too late is shown, and its cost is nobody's.
  const isLate = told.includes("SUCCESS");
  const loss = isLate ? taskCost : 0;
  return { status: isLate ? "SUCCESS" : "FAILURE", charge: "refunded", loss };
}

/**
 * Each order with each outcome of each event, and once with a callback and a poll that differ. How
 * they differ, and what is told of a task that was not accepted, varies from order to order.
 */
function allPlays(): Play[] {
  const differing = outcomes.flatMap((callback) =>
    outcomes.filter((poll) => poll !== callback).map((poll) => ({ callback, poll })),
  );
  return ordersOf(events).flatMap((order, number): Play[] => {
    const told = outcomes[number % outcomes.length] ?? "SUCCESS";
    const same = (answer: Outcome, outcome: Outcome): Play => ({
      order,
      says: { answer, callback: outcome, poll: outcome },
    });
    const one = differing[number % differing.length] ?? { callback: told, poll: told };
    return [
      ...outcomes.map((outcome) => same("SUCCESS", outcome)),
      same("FAILURE", told),
      same("IN_PROGRESS", told),
      { order, says: { answer: "SUCCESS", ...one } },
    ];
  });
}

/** Lets one task live through the events in their order, and checks what is left of it. */
async function perform(scene: Scene, play: Play, id: string, isLimited: boolean): Promise<void> {
  const { order, says } = play;
  const named = `${order.join(", ")}: ${Object.values(says).join(", ")}`;
  const submitted = await submit(scene, id, isLimited);
  const { dialect } = scene;
  const seen = isDead(order, dialect) ? order.filter((event) => event !== "answer") : order;
  for (const event of seen) {
    const isSaid = event === "answer" || event === "callback" || event === "poll";
    await happen(scene, submitted, event, isSaid ? says[event] : "IN_PROGRESS");
  }
  // Whatever still runs ends by its deadline.
  await happen(scene, submitted, "timeout", "IN_PROGRESS");

  const { status, charge, loss } = endOf(play, dialect);
  const entries = { "": "", charged, refunded }[charge];
  expect(await kindsOf(scene.books, id), named).toBe(entries);
  expect(await scene.store.findTask(id, null), named).toMatchObject({
    status,
    quota: charge === "" ? 0 : taskCost,
    refunded: charge === "refunded" ? taskCost : 0,
    loss,
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
      const plays = allPlays();
      const next = plays.entries();
      const work = async (scene: Scene): Promise<void> => {
        for (const [number, play] of next) {
          await perform(scene, play, `T${number}`, number % 2 === 0);
        }
      };
      await Promise.all(scenes.map(work));
      const { count } = await books.db
        .selectFrom("tasks")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      expect(Number(count)).toBe(120 * 6);
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
        await happen(scene, submitted, "answer", "SUCCESS");
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

    test("stays readable, however much its upstream says of it after its refund", async () => {
      const scene = await openScene(dialect);
      const submitted = await submit(scene, "T1", true);
      await happen(scene, submitted, "answer", "SUCCESS");
      await happen(scene, submitted, "timeout", "IN_PROGRESS");
      const state = { ...taskState("SUCCESS"), data: { text: "x".repeat(100_000) } };
      await scene.store.noteState({ taskId: "T1", state, nowMs: submittedMs + 1 });
      const row = await scene.store.findTask("T1", null);
      expect(JSON.parse(row?.data ?? "")).toEqual({});
      expect(row).toMatchObject({ status: "SUCCESS", refunded: taskCost });
    });
  });
}
