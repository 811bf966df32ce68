import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { charge, noUsage, priceList, unitPrice } from "@tollgate/contract/money/charge.ts";
import { afterEach, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { proveLedger } from "#modules/proof/proof.ts";
import { closeTestBooks, openTestBooks, type TestBooks } from "#modules/ledger/testing/books.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";
import type { KillPoint, KillTask } from "./journal-kills.ts";

afterEach(closeTestBooks);

const opening = 10_000_000;
const testMaxMs = 120_000;

const append = "^\\s*insert into journal \\(";
const deletion = 'delete from "journal" ';
const mark = 'update "journal_heads"';

/** Where on the way of the journal a process dies that makes calls. */
const points: Readonly<Record<string, KillPoint>> = {
  "before the commit of a record": { statement: append, when: "before", nth: 3 },
  "between the commit of a record and the last byte": { statement: append, when: "after", nth: 3 },
  "before the log rows of a group": { statement: 'into "?logs"? ?\\(', when: "before", nth: 2 },
  "between the log rows and the entries of a group": {
    statement: 'into "entries"',
    when: "before",
    nth: 2,
  },
  "when a group's balances are written": { statement: deletion, when: "before", nth: 2 },
  "when a group's records are deleted": { statement: deletion, when: "after", nth: 2 },
  "when the mark has moved": { statement: mark, when: "after", nth: 2 },
  "when a group is committed": { statement: "^commit", when: "after", nth: 1, behind: mark },
};

/** Where a process dies that recovers what the one before it has left. */
const recoveries: readonly KillPoint[] = [
  { statement: mark, when: "after", nth: 1 },
  { statement: "^commit", when: "after", nth: 1, behind: mark },
];

for (const dialect of testDialects) {
  for (const [name, point] of Object.entries(points)) {
    test(
      `${dialect}: killed ${name}, what was told is charged once, and what was not told is free or charged once`,
      async () => {
        const scene = await openScene(dialect);
        const first = await scene.run("first", point);
        await scene.run("", undefined);
        await judge(scene.books, { ...first, charge: scene.charge });
      },
      testMaxMs,
    );
  }

  test(
    `${dialect}: killed again and again while it recovers, what was told is charged once`,
    async () => {
      const scene = await openScene(dialect);
      const afterCommit = points["between the commit of a record and the last byte"];
      const first = await scene.run("first", afterCommit);
      // A recovery may find that the one before it, killed so late, has left nothing.
      const deaths: boolean[] = [];
      for (const point of recoveries) deaths.push((await scene.recover(point)).isKilled);
      expect(deaths).toContain(true);
      const later = await scene.run("second", points["when the mark has moved"]);
      await scene.run("", undefined);
      const told = [...first.told, ...later.told];
      const open = [...first.open, ...later.open];
      await judge(scene.books, { told, charge: scene.charge, open });
    },
    testMaxMs,
  );
}

type Scene = {
  readonly books: TestBooks;
  readonly charge: number;
  /** Runs a process until it dies at the point, or to its end where there is none. */
  run(prefix: string, point: KillPoint | undefined): Promise<Omit<Seen, "charge">>;
  /** Runs a process that only recovers, and dies at the point if it comes there. */
  recover(point: KillPoint): Promise<{ readonly isKilled: boolean }>;
};

async function openScene(dialect: "postgres" | "sqlite"): Promise<Scene> {
  const books = await openTestBooks(dialect);
  const { address } = books;
  await books.addUser("alice", opening);
  await books.addToken(1, "laptop", opening);
  const due = await priceOf(books);
  const dataDir = mkdtempSync(join(tmpdir(), "tollgate-kills-"));
  const play = async (prefix: string, point: KillPoint | undefined) => {
    const task: KillTask = { address, dataDir, prefix, charge: due };
    const script = new URL("journal-kills.ts", import.meta.url).pathname;
    const child = Bun.spawn([process.execPath, script, JSON.stringify(task)], {
      env: {
        ...process.env,
        TOLLGATE_TEST_KILL: point === undefined ? "" : JSON.stringify(point),
      },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [output, errors] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    await child.exited;
    return { output, ended: [child.signalCode, child.exitCode, errors] };
  };
  return {
    books,
    charge: due,
    async run(prefix, point) {
      const { output, ended } = await play(prefix, point);
      expect(ended).toEqual(point === undefined ? atItsEnd : killed);
      if (prefix === "" && point === undefined) rmSync(dataDir, { recursive: true });
      return { told: idsIn(output, "told"), open: idsIn(output, "open") };
    },
    async recover(point) {
      const { ended } = await play("", point);
      const isKilled = ended[0] === killed[0];
      expect(ended).toEqual(isKilled ? killed : atItsEnd);
      return { isKilled };
    },
  };
}

/** The ids in the lines that begin with a word. */
function idsIn(output: string, word: "open" | "told"): readonly string[] {
  const lines = output.split("\n").map((line) => line.split(" "));
  return lines.flatMap(([first, id]) => (first === word && id !== undefined ? [id] : []));
}

/** How a process ended: its signal, its exit code, what it wrote to standard error. */
const killed = ["SIGKILL", null, ""];
const atItsEnd = [null, 0, ""];

/** Computes what a call of `chargedLog` costs by the prices of the database. */
async function priceOf({ db }: TestBooks): Promise<number> {
  const { content } = await db
    .selectFrom("price_versions")
    .select("content")
    .executeTakeFirstOrThrow();
  const { modelName, group, usage } = chargedLog();
  const price = unitPrice(priceList.parse(JSON.parse(content)), modelName, group);
  if (price === undefined) throw new Error("the model has no price");
  return charge(price, { ...noUsage, ...usage });
}

type Seen = {
  readonly told: readonly string[];
  readonly charge: number;
  /** Calls that ran when the process died, and whose reservation was stored. */
  readonly open: readonly string[];
};

async function judge(
  { db, readUser }: TestBooks,
  { told, charge: due, open }: Seen,
): Promise<void> {
  // The kill proves something only if calls were told before it.
  expect(told.length).toBeGreaterThan(0);
  expect((await proveLedger(db)).flaw).toBeNull();
  const entries = await db.selectFrom("entries").select(["cause", "amount"]).execute();
  const charges = entries.filter(({ cause }) => cause.startsWith("settle:"));
  const charged = new Set(charges.map(({ cause }) => cause.slice("settle:".length)));
  expect(charged.size).toBe(charges.length);
  expect(told.filter((id) => !charged.has(id))).toEqual([]);
  expect(charges.every(({ amount }) => amount === -due)).toBe(true);
  expect(await readUser(1)).toEqual({
    balance: opening - charges.length * due,
    held: 0,
    used: charges.length * due,
  });
  const failed = await db.selectFrom("logs").select("request_id").where("type", "=", 5).execute();
  const interrupted = failed.map(({ request_id }) => request_id);
  expect(open.filter((id) => !interrupted.includes(id))).toEqual([]);
  expect(interrupted.filter((id) => charged.has(id))).toEqual([]);
  expect(await db.selectFrom("reservations").select("id").execute()).toEqual([]);
  expect(await db.selectFrom("journal").select("seq").execute()).toEqual([]);
}
