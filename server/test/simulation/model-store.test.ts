import { afterEach, describe, expect, test } from "bun:test";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import { applyBatch } from "#modules/ledger/batch.ts";
import { encodeOperations } from "#modules/ledger/batch-text.ts";
import { applyEnded, applyRecords } from "#modules/ledger/journal/apply-records.ts";
import { appendRecord, readJournalEnd } from "#modules/ledger/journal/records.ts";
import { adjustTokenBalance } from "#modules/ledger/ledger.ts";
import { endEpochs, joinNodes } from "#modules/ledger/nodes.ts";
import type { Operation } from "#modules/ledger/operations.ts";
import { releaseInterrupted } from "#modules/ledger/recovery.ts";
import {
  closeTestBooks,
  more,
  openTestBooks,
  release,
  settle,
  setUpMs,
  take,
  type TestBooks,
} from "#modules/ledger/testing/books.ts";
import { failedLog } from "#modules/ledger/testing/calls.ts";
import { openModelStore, type ModelStore } from "./model-store.ts";
import { type Random, seededRandom } from "#base/testing/random.ts";

afterEach(closeTestBooks);

const stepCount = 400;

const nodeIds = ["node-1", "node-2"] as const;

/** Tokens with odd ids have a limit. Each user has a token with a limit and one without. */
const isLimited = (tokenId: number): boolean => tokenId % 2 === 1;

// The simulation proves something about the product only if its store gives the same results as the
// real one.
for (const dialect of testDialects) {
  describe(`the simulated store and the one on ${dialect}`, () => {
    test(`give the same results in ${stepCount} random transactions`, async () => {
      const books = await openTestBooks(dialect);
      const model = openModelStore(dialect === "postgres" ? "exact" : "whole", () => 1);
      const random = seededRandom(7);
      for (const userId of [1, 2]) {
        await books.addUser(`user-${userId}`, 200);
        model.openUser(userId);
        model.post({ cause: `gift:${userId}`, userId, amount: 200 });
        for (const name of ["a", "b"]) model.openToken(await books.addToken(userId, name, 90), 90);
      }
      const world = openSteps(random, books, model, dialect === "postgres");
      for (const nodeId of nodeIds) await world.join(nodeId);
      for (let step = 0; step < stepCount; step += 1) {
        const { real, modelled, what } = await world.step();
        expect([what, modelled]).toEqual([what, real]);
      }
      expect(await readReal(books)).toEqual(readModel(model));
      // The comparison proves something only if every kind of transaction has occurred.
      expect(model.entries.length).toBeGreaterThan(stepCount / 4);
      expect(model.failures.size).toBeGreaterThan(stepCount / 40);
      const reversals = model.entries.filter(({ cause }) => cause.startsWith("reversal:"));
      expect(reversals.length).toBeGreaterThan(stepCount / 40);
      expect(model.refused.length).toBeGreaterThan(0);
    });
  });
}

type Step = { readonly what: string; readonly real: unknown; readonly modelled: unknown };

function openSteps(random: Random, books: TestBooks, model: ModelStore, grants: boolean) {
  const open = new Map<string, { userId: number; tokenId: number; held: number }>();
  /** Operations that settled calls. Later ones may give these charges back, some of them twice. */
  const settled: (Operation & { type: "settle" })[] = [];
  let ids = 0;

  async function both(
    what: string,
    real: () => Promise<unknown>,
    modelled: () => unknown,
  ): Promise<Step> {
    return { what, real: await outcomeOf(real), modelled: await outcomeOf(async () => modelled()) };
  }

  async function step(): Promise<Step> {
    const chance = random.between(1, 20);
    if (chance === 1) return await post();
    if (chance === 2) return await adjust();
    if (chance === 3) return await recover();
    if (chance <= 7) return await append();
    if (chance <= 10) return await write();
    const operations = Array.from({ length: random.between(1, 5) }, nextOperation);
    const nodeId = random.pick(nodeIds);
    // One batch in ten belongs to an epoch that has ended, where nodes have epochs.
    const epoch = (model.nodes.get(nodeId)?.epoch ?? 0) - (grants && random.chance(0.1) ? 1 : 0);
    const batch = { nodeId, epoch, operations };
    const send = async (again?: "again"): Promise<Step> =>
      await both(
        `${again ?? "batch"} ${JSON.stringify(operations)}`,
        async () =>
          await books.db
            .transaction()
            .execute(async (tx) => await applyBatch(tx, { ...batch, again: again !== undefined })),
        () => model.applyBatch({ ...batch, again: again !== undefined }),
      );
    const sent = await send(random.chance(0.1) ? "again" : undefined);
    const differs = JSON.stringify(sent.real) !== JSON.stringify(sent.modelled);
    return differs || random.chance(0.5) ? sent : await send("again");
  }

  function nextOperation(): Operation {
    const call = newCall();
    const known = open.size > 0 ? random.pick([...open]) : undefined;
    const kind = random.between(1, 10);
    if (settled.length > 0 && random.chance(0.1)) return reverse(random.pick(settled));
    if (known === undefined || kind <= 3) return start(call);
    const [id, { userId, tokenId, held }] = known;
    const of = { id, userId, tokenId, tokenLimited: isLimited(tokenId) };
    if (kind === 4 && grants) return more(random.between(0, 30), held, of);
    if (kind === 5) {
      return { type: "fail", log: failedLog({ requestId: call.id }) };
    }
    // One ended call in ten stays among the open ones, so that it may be ended a second time.
    if (random.chance(0.9)) open.delete(id);
    if (kind === 6) return release(of);
    const charge = random.between(0, 60);
    const settlement = settle(charge, grants ? of : { ...of, charged: random.between(0, charge) });
    if (settlement.type === "settle") settled.push(settlement);
    return settlement;
  }

  function newCall() {
    const userId = random.between(1, 2);
    const tokenId = random.pick([0, 2 * userId - 1, 2 * userId]);
    ids += 1;
    return { id: `call-${ids}`, userId, tokenId, tokenLimited: isLimited(tokenId) };
  }

  function start(call: ReturnType<typeof newCall>): Operation {
    const want = random.between(0, 40);
    open.set(call.id, { ...call, held: want });
    // Sometimes settles a call of an unknown user, which makes the transaction fail.
    if (random.chance(0.02)) return settle(1, { ...call, userId: 99 });
    if (grants) return take(want, { ...call, least: random.between(0, want) });
    const facts = { ...call, modelName: "m", group: "default", atMs: setUpMs };
    return { type: "open", facts, amount: want };
  }

  /** Adds a record to the journal, one in five under a wrong epoch, place or sum, or for a second time. */
  async function append(): Promise<Step> {
    const operations = Array.from({ length: random.between(1, 4) }, nextDecided);
    const nodeId = random.pick(nodeIds);
    const epoch = (model.nodes.get(nodeId)?.epoch ?? 0) - (random.chance(0.1) ? 1 : 0);
    const end = model.readJournalEnd(nodeId);
    const seq = end.seq + 1 + (random.chance(0.1) ? 1 : 0);
    const before = random.chance(0.1) ? "another" : end.sum;
    const body = encodeOperations(operations);
    const record = { nodeId, epoch, seq, calls: operations.length, body, before };
    const send = async (): Promise<Step> =>
      await both(
        `append ${seq} of ${nodeId} ${JSON.stringify(operations)}`,
        async () => [
          await outcomeOf(async () => await appendRecord(books.db, record)),
          await readJournalEnd(books.db, nodeId),
        ],
        async () => [
          await outcomeOf(async () => model.appendRecord(record)),
          endOf(model.readJournalEnd(nodeId)),
        ],
      );
    const sent = await send();
    const differs = JSON.stringify(sent.real) !== JSON.stringify(sent.modelled);
    return differs || random.chance(0.5) ? sent : await send();
  }

  /** An operation that nothing can refuse, or that the books refuse all the same. */
  function nextDecided(): Operation {
    const operation = nextOperation();
    switch (operation.type) {
      case "take":
      case "more":
      case "budget":
      case "reverse":
        return { type: "fail", log: failedLog({ requestId: newCall().id }) };
      case "settle":
        return { ...operation, charged: random.between(0, operation.charge) };
      default:
        return operation;
    }
  }

  /** Writes records of a node into the books. */
  async function write(): Promise<Step> {
    const nodeId = random.pick(nodeIds);
    const upTo = model.readJournalEnd(nodeId).seq - random.between(0, 1);
    const apart = random.chance(0.5);
    const ended = random.chance(0.3);
    const inOne = async <Result>(run: (tx: Db) => Promise<Result>): Promise<Result> =>
      await books.db.transaction().execute(run);
    return await both(
      `write ${ended ? "ended " : ""}${nodeId} up to ${upTo}${apart ? " apart" : ""}`,
      async () =>
        ended
          ? await inOne(async (tx) => await applyEnded(tx, nodeId, apart))
          : await inOne(async (tx) => await applyRecords(tx, nodeId, upTo, apart)),
      () => (ended ? model.applyEnded(nodeId, apart) : model.applyRecords(nodeId, upTo, apart)),
    );
  }

  async function post(): Promise<Step> {
    const userId = random.between(1, 2);
    const cause = `admin:${random.between(1, 30)}`;
    const amount = random.between(1, 200) * random.pick([-1, 1]);
    return await both(
      `post ${cause} ${amount}`,
      async () => await books.credit(userId, amount, cause),
      () => model.post({ cause, userId, amount }),
    );
  }

  async function adjust(): Promise<Step> {
    const tokenId = random.pick([1, 3]);
    const delta = random.between(1, 90) * random.pick([-1, 1]);
    return await both(
      `adjust ${tokenId} ${delta}`,
      async () =>
        await books.db
          .transaction()
          .execute(async (tx) => await adjustTokenBalance(tx, tokenId, delta)),
      () => model.adjustToken(tokenId, delta),
    );
  }

  async function recover(): Promise<Step> {
    const nodeId = random.pick(nodeIds);
    const isBack = random.chance(0.3);
    const ended = await both(
      `recover ${nodeId}`,
      async () => {
        await books.db.transaction().execute(async (tx) => await endEpochs(tx, [nodeId], null));
        if (isBack) return 0;
        return await books.db
          .transaction()
          .execute(async (tx) => await releaseInterrupted(tx, nodeId));
      },
      () => {
        model.endEpoch(nodeId);
        return isBack ? 0 : model.releaseInterrupted(nodeId).length;
      },
    );
    if (JSON.stringify(ended.real) !== JSON.stringify(ended.modelled)) return ended;
    return await join(nodeId);
  }

  async function join(nodeId: string): Promise<Step> {
    const node = { nodeId, epoch: model.nodes.get(nodeId)?.epoch ?? 0 };
    return await both(
      `join ${nodeId}`,
      async () => await books.db.transaction().execute(async (tx) => await joinNodes(tx, node)),
      () => model.joinNodes(node),
    );
  }

  return { step, join };
}

const endOf = ({ seq, sum }: { readonly seq: number; readonly sum: string }) => ({ seq, sum });

function reverse({ id, tokenLimited, charge, log }: Operation & { type: "settle" }): Operation {
  return { type: "reverse", id, tokenLimited, charge, log, atMs: setUpMs };
}

/**
 * Runs a transaction. Returns its result, or the kind of its failure without the message, because
 * messages differ between the databases.
 */
async function outcomeOf(run: () => Promise<unknown>): Promise<unknown> {
  try {
    return (await run()) ?? "done";
  } catch (error) {
    return error instanceof Refusal ? error.code : "thrown";
  }
}

async function readReal({ db }: TestBooks) {
  const users = await db.selectFrom("balances").selectAll().orderBy("user_id").execute();
  const tokens = await db.selectFrom("token_balances").selectAll().orderBy("token_id").execute();
  const rows = await db.selectFrom("reservations").selectAll().execute();
  const entries = await db.selectFrom("entries").selectAll().execute();
  const failures = await db.selectFrom("logs").selectAll().where("type", "=", 5).execute();
  const records = await db.selectFrom("journal").selectAll().execute();
  const heads = await db.selectFrom("journal_heads").selectAll().execute();
  const refused = await db.selectFrom("journal_refused").selectAll().execute();
  return {
    users: users.map(({ user_id, balance, held, used }) => [user_id, balance, held, used]),
    tokens: tokens.map((row) => [row.token_id, row.granted, row.remain, row.used, row.held]),
    reservations: rows
      .map((row) =>
        [
          row.id,
          row.node_id,
          row.epoch,
          row.user_id,
          row.token_id,
          row.amount,
          row.token_amount,
        ].join(" "),
      )
      .toSorted(),
    entries: entries
      .map(({ cause, user_id, token_id, amount }) => [cause, user_id, token_id, amount].join(" "))
      .toSorted(),
    // The row of a charge that is pending is no failure.
    failures: failures
      .filter((row) => !row.content.includes("扣费待管理员处理"))
      .map((row) => row.request_id)
      .toSorted(),
    records: records.map((row) => `${row.node_id} ${row.seq} ${row.epoch} ${row.sum}`).toSorted(),
    heads: heads.map((row) => `${row.node_id} ${row.applied} ${row.sum}`).toSorted(),
    refused: refused.map((row) => `${row.kind} ${row.request_id}`).toSorted(),
  };
}

function readModel(model: ModelStore): Awaited<ReturnType<typeof readReal>> {
  return {
    users: [...model.users].map(([id, { balance, held, used }]) => [id, balance, held, used]),
    tokens: [...model.tokens].map(([id, row]) => [id, row.granted, row.remain, row.used, row.held]),
    reservations: [...model.reservations]
      .map(([id, row]) =>
        [id, row.nodeId, row.epoch, row.userId, row.tokenId, row.amount, row.tokenAmount].join(" "),
      )
      .toSorted(),
    entries: model.entries
      .map(({ cause, userId, tokenId, amount }) => [cause, userId, tokenId, amount].join(" "))
      .toSorted(),
    failures: [...model.failures]
      .flatMap(([id, count]) => Array.from({ length: count }, () => id))
      .toSorted(),
    records: model
      .records()
      .map((one) => `${one.nodeId} ${one.seq} ${one.epoch} ${one.sum}`)
      .toSorted(),
    heads: [...model.heads].map(([id, { applied, sum }]) => `${id} ${applied} ${sum}`).toSorted(),
    refused: model.refused.map(({ kind, requestId }) => `${kind} ${requestId}`).toSorted(),
  };
}
