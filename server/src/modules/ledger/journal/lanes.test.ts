import { expect, test } from "bun:test";
import type { Batch, Operation, OperationResult } from "#modules/ledger/operations.ts";
import { noPace, type SendAnswer } from "#modules/ledger/queue.ts";
import { facts, more, release, settle, take } from "#modules/ledger/testing/books.ts";
import { chargedLog, failedLog } from "#modules/ledger/testing/calls.ts";
import { openLanes } from "./lanes.ts";
import { pacesOf } from "./paces.ts";

/** Opens the lanes over a stand-in: the test answers what is sent, in any order. */
function openTestLanes({ paced = false, running = 0 } = {}) {
  const sent: {
    readonly way: "apply" | "barrier" | "journal";
    readonly names: string;
    readonly answer: (answer: SendAnswer) => void;
    readonly commit: () => void;
  }[] = [];
  const rejoined: number[] = [];
  let epoch = 1;
  let isSent = false;
  const send = (way: "apply" | "journal") => (batch: Batch) => {
    const { promise, resolve } = Promise.withResolvers<SendAnswer>();
    const results = batch.operations.map((): OperationResult => ({ type: "done" }));
    const commit = (): void => resolve({ kind: "committed", results });
    const names = `${batch.operations.map(nameOf).join(" ")}${batch.again ? " again" : ""}`;
    sent.push({ way, names, answer: resolve, commit });
    return promise;
  };
  const lanes = openLanes({
    nodeId: "n",
    epoch: () => epoch,
    async rejoin(ended) {
      rejoined.push(ended);
      epoch += 1;
      lanes.noteEpoch([]);
    },
    journal: {
      send: send("journal"),
      findSent: async (batch) =>
        isSent
          ? { kind: "committed", results: batch.operations.map(() => ({ type: "done" })) }
          : undefined,
    },
    books: {
      barrier: () => {
        const { promise, resolve } = Promise.withResolvers<void>();
        sent.push({ way: "barrier", names: "", answer: () => resolve(), commit: () => resolve() });
        return promise;
      },
    },
    apply: send("apply"),
    ...(paced ? { pace: { ...noPace, youngMs: 5, aloneMs: 5 } } : {}),
    running: () => running,
    judgedPace: pacesOf.postgres.judgedPace,
    elapsed: () => 1_000,
    wait: async () => await soon(),
    onRefused() {},
    onStoreState() {},
  });
  return {
    lanes,
    sent,
    rejoined,
    told: () => sent.map(({ way, names }) => `${way} ${names}`.trim()),
    wasSent: () => void (isSent = true),
  };
}

test("reservations of many calls share a transaction, and what a running call needs waits for none", async () => {
  const { lanes, sent, told } = openTestLanes({ running: 16 });
  void lanes.push(take(1, { id: "a" }));
  void lanes.push(take(1, { id: "b" }));
  expect(told()).toEqual([]);
  await soon();
  expect(told()).toEqual(["apply take:a take:b"]);
  sent[0]?.commit();
  await soon();
  void lanes.push(take(1, { id: "c" }));
  void lanes.push(more(1, 1, { id: "a" }));
  await Promise.resolve();
  expect(told()[1]).toBe("apply take:c more:a");
});

test("a reservation waits for no other while few calls run", async () => {
  const { lanes, told } = openTestLanes({ running: 15 });
  void lanes.push(take(1, { id: "a" }));
  expect(told()).toEqual(["apply take:a"]);
});

async function soon(): Promise<void> {
  await new Promise((resolve) => void setImmediate(resolve));
}

function nameOf(operation: Operation): string {
  if (operation.type === "open" || operation.type === "take") {
    return `${operation.type}:${operation.facts.id}`;
  }
  if (operation.type === "fail") return `fail:${operation.log.requestId}`;
  return `${operation.type}:${"id" in operation ? operation.id : ""}`;
}

const decided = (id: string): Operation => settle(5, { id, charged: 5 });
const overrun = (id: string): Operation => settle(5, { id });
const reversal = (id: string): Operation => ({
  type: "reverse",
  id,
  tokenLimited: true,
  charge: 5,
  log: chargedLog({ requestId: id }),
  atMs: 1,
});

test("what nothing can refuse goes into the journal; what is lent waits for nothing", async () => {
  const { lanes, told } = openTestLanes();
  lanes.post(decided("a"));
  lanes.post(release({ id: "b" }));
  lanes.post({ type: "fail", log: failedLog({ requestId: "c" }) });
  lanes.post(take(5, { id: "d" }));
  lanes.post(more(5, 5, { id: "e" }));
  await soon();
  expect(told()).toEqual(["journal settle:a", "apply take:d"]);
});

test("what the books judge waits for the journal and for the books", async () => {
  for (const judged of [overrun("b"), reversal("a"), taskOf("b")]) {
    const { lanes, sent, told } = openTestLanes();
    lanes.post(decided("a"));
    lanes.post(judged);
    await soon();
    expect(told()).toEqual(["journal settle:a"]);
    sent[0]?.commit();
    await soon();
    expect(told()).toEqual(["journal settle:a", "barrier"]);
    sent[1]?.commit();
    await soon();
    expect(told()).toEqual(["journal settle:a", "barrier", `apply ${nameOf(judged)}`]);
  }
});

function taskOf(id: string): Operation {
  const task = { id: "t", action: "IMAGINE", use: {} };
  // Safe cast: only whether a task was begun matters here.
  const log = chargedLog({ requestId: id, task: task as never });
  return { type: "settle", id, tokenLimited: true, charge: 5, charged: 5, log };
}

test("a call can wait until the books have what ended before it", async () => {
  const { lanes, sent, told } = openTestLanes();
  const waiting = lanes.caughtUp?.();
  sent[0]?.commit();
  expect(told()).toEqual(["barrier"]);
  expect(await waiting).toBe(true);
});

test("a failure is not written before the release of its call that waits for an extension", async () => {
  const { lanes, told, sent } = openTestLanes();
  const fail = (id: string): void =>
    lanes.post({ type: "fail", log: failedLog({ requestId: id }) });
  lanes.post({ type: "release", id: "a", userId: 1, tokenId: 1, behind: true });
  fail("a");
  fail("b");
  for (let answered = 0; answered < 5; answered += 1) {
    await soon();
    sent[answered]?.commit();
  }
  await soon();
  const ofA = ["barrier", "apply release:a", "barrier", "apply fail:a"];
  expect(told().filter((one) => one !== "journal fail:b")).toEqual(ofA);
  fail("a");
  await soon();
  expect(told().at(-1)).toBe("journal fail:a");
});

test("a call's reservation is not written after the end of its call", async () => {
  const { lanes, told, sent } = openTestLanes({ paced: true });
  lanes.post({ type: "open", facts: facts({ id: "a" }), amount: 9 });
  lanes.post(overrun("a"));
  for (let turn = 0; turn < 4; turn += 1) await soon();
  sent[0]?.commit();
  for (let turn = 0; turn < 4; turn += 1) await soon();
  expect(told()).toEqual(["barrier", "apply settle:a"]);
});

test("a call of an epoch that has ended is ended by a transaction, which can tell whether it was released", async () => {
  const { lanes, sent, told, rejoined } = openTestLanes();
  lanes.post(decided("a"));
  await soon();
  sent[0]?.answer({ kind: "fenced" });
  for (let turn = 0; turn < 4; turn += 1) await soon();
  expect(rejoined).toEqual([1]);
  expect(told()).toEqual(["journal settle:a", "barrier"]);
  sent[1]?.commit();
  await soon();
  expect(told().at(-1)).toBe("apply settle:a again");
  sent[2]?.commit();
  // Those that begin in the new epoch go into the journal again.
  lanes.post(decided("b"));
  await soon();
  expect(told().at(-1)).toBe("journal settle:b");
});

test("a record of an ended epoch that was committed all the same counts, and is not sent again", async () => {
  const { lanes, sent, told, wasSent } = openTestLanes();
  const ended = lanes.push(decided("a"));
  await soon();
  wasSent();
  sent[0]?.answer({ kind: "fenced" });
  expect(await ended).toEqual({ type: "done" });
  expect(told()).toEqual(["journal settle:a"]);
});
