/**
 * Searches every order in which things can happen to a few calls of two nodes that share a database,
 * with the product's judge, holds, lanes, journal, books and recovery over the simulated store: the
 * answer of one commit is lost, one node is taken for dead while it runs, one dies. By hand:
 * `bun server/test/simulation/search.ts <calls> <most states>`.
 */

import { drainMicrotasks } from "bun:jsc";
import { StoreUnavailable } from "#db/store-unavailable.ts";
import type { OpenHold } from "#modules/ledger/hold.ts";
import { type Holds, openHolds } from "#modules/ledger/holds.ts";
import { openBooks } from "#modules/ledger/journal/books.ts";
import { openJournal } from "#modules/ledger/journal/journal.ts";
import { type Lanes, openLanes } from "#modules/ledger/journal/lanes.ts";
import { releaseNodes } from "#modules/ledger/journal/recover.ts";
import { openJudge } from "#modules/ledger/judge.ts";
import { type Membership, openMembership } from "#modules/ledger/membership.ts";
import type { Batch } from "#modules/ledger/operations.ts";
import type { SendAnswer } from "#modules/ledger/queue.ts";
import { template } from "./call-logs.ts";
import { type ModelStore, openModelStore } from "./model-store.ts";
import { openOracle } from "./oracle.ts";

const userId = 1;
/** The quota of the user. Each call costs 1, so some calls must be refused when there are more. */
const wealth = 2;

/** By how much the clock goes on with each choice, in milliseconds: longer than books are idle. */
const stepMs = 11;

type Step = { readonly name: string; readonly commit: (isLost: boolean) => void };

type Call = { state: "ended" | "new" | "open" | "refused" | "told" | "waiting"; charged: number };

type Node = {
  readonly id: string;
  isAlive: boolean;
  /** What waits for the store, in order. */
  readonly line: Step[];
  /** What waits beside it: joining. */
  readonly aside: Step[];
  readonly timers: Map<number, () => void>;
  readonly holds: Holds;
  readonly lanes: Lanes;
  membership: Membership | undefined;
  isSweeping: boolean;
  /** What became of the node's last record, which its journal remembers. */
  trail: string;
};

type Scene = {
  readonly store: ModelStore;
  readonly nodes: readonly Node[];
  readonly calls: readonly Call[];
  readonly open: Map<number, { readonly hold: OpenHold; readonly node: Node }>;
  readonly budget: { lost: number; fence: number; crash: number };
  nowMs: number;
  bug: string | null;
};

function openScene(callCount: number): Scene {
  const store: ModelStore = openModelStore("exact", () => scene.nowMs);
  store.openUser(userId);
  store.post({ cause: "gift", userId, amount: wealth });
  const nodes: Node[] = [];
  const scene: Scene = {
    store,
    nodes,
    calls: Array.from({ length: callCount }, () => ({ state: "new", charged: 0 })),
    open: new Map(),
    budget: { lost: 1, fence: 1, crash: 1 },
    nowMs: 1_000,
    bug: null,
  };
  for (const id of ["a", "b"]) nodes.push(openNode(scene, id));
  drainMicrotasks();
  for (const { aside } of nodes) aside.shift()?.commit(false);
  drainMicrotasks();
  return scene;
}

/** Lets something wait in a line for the store. */
function enter<Result>(line: Step[], name: string, apply: () => Result): Promise<Result> {
  return new Promise((resolve, reject) => {
    line.push({
      name,
      commit(isLost) {
        try {
          const result = apply();
          if (isLost) reject(new StoreUnavailable("away"));
          else resolve(result);
        } catch (error) {
          reject(error);
        }
      },
    });
  });
}

/** Short waits are over at once; those of a second and more never are. */
const wait = async (ms: number) => await (ms < 1_000 ? undefined : new Promise<void>(() => {}));

function openNode(scene: Scene, id: string): Node {
  const { store } = scene;
  const line: Step[] = [];
  const aside: Step[] = [];
  const timers = new Map<number, () => void>();
  const elapsed = (): number => scene.nowMs;
  let ids = 0;
  const books = openBooks({
    elapsed,
    wait,
    setTimer(run, ms) {
      if (ms <= stepMs) timers.set((ids += 1), run);
      return ids;
    },
    clearTimer: (timer) => void timers.delete(Number(timer)),
  });
  books.open({
    recovered: undefined,
    apply: async (upTo, apart) =>
      await enter(line, `write ${upTo}`, () => store.applyRecords(id, upTo, apart)),
    countRefused: async () => 0,
    log: { error() {} },
  });
  const journal = openJournal({
    books,
    store: {
      appendRecord: async (record) =>
        await enter(line, `append ${record.seq} ${record.epoch} ${record.body}`, () => {
          node.trail = `${record.seq} ${node.membership?.epoch()}`;
          return store.appendRecord(record);
        }),
      readJournalEnd: async (of) => await enter(line, "end", () => store.readJournalEnd(of)),
    },
  });
  const lanes = openLanes({
    nodeId: id,
    journal,
    books,
    epoch: () => node.membership?.epoch() ?? 0,
    rejoin: async (ended) => await node.membership?.rejoin(ended),
    apply: async (batch) => await applyIn(line, store, batch),
    elapsed,
    wait,
    onRefused: (operation) => void (scene.bug ??= `a ${operation.type} was left out`),
    onStoreState() {},
  });
  const holds = openHolds({
    policy: "exact",
    judge: openJudge(),
    queue: lanes,
    isCurrent: () => true,
    now: elapsed,
    wait,
    payDebt: async () => ({ posted: null }),
  });
  const node: Node = {
    id,
    line,
    aside,
    timers,
    holds,
    lanes,
    isAlive: true,
    membership: undefined,
    isSweeping: false,
    trail: "",
  };
  void join(scene, node);
  return node;
}

/** Applies a batch in one transaction, as `open-ledger.ts` does. */
async function applyIn(line: Step[], store: ModelStore, batch: Batch): Promise<SendAnswer> {
  const names = batch.operations.map(({ type }) => type).join();
  const answer = await enter(line, `apply ${names} ${batch.epoch} ${batch.again}`, () =>
    store.applyBatch(batch),
  ).catch((error: unknown) => {
    if (error instanceof StoreUnavailable) return null;
    throw error;
  });
  if (answer === null) return { kind: "store-failed", reason: "away" };
  if (answer === "fenced") return { kind: "fenced" };
  return { kind: "committed", results: answer };
}

async function join(scene: Scene, node: Node): Promise<void> {
  node.membership = await openMembership({
    nodeId: node.id,
    beat: async () => await Promise.resolve({ kind: "acknowledged", atMs: scene.nowMs }),
    async join(own) {
      const epoch = await enter(node.aside, "join", () => scene.store.joinNodes(own));
      return { epoch, atMs: scene.nowMs, isBehind: false };
    },
    lineage: async () => await Promise.resolve(""),
    elapsed: () => scene.nowMs,
    onEpoch: () => node.lanes.noteEpoch(node.holds.openIds()),
    onBehind() {},
    onRejoined() {},
  });
}

/** Everything that can happen next. */
function choicesOf({ store, nodes, calls, open, budget }: Scene): string[] {
  const choices: string[] = [];
  const next = calls.findIndex(({ state }) => state === "new");
  for (const [index, { id, isAlive, line, aside, isSweeping, membership }] of nodes.entries()) {
    const isCurrent = store.nodes.get(id)?.epoch === membership?.epoch();
    if (isCurrent && (!isAlive || budget.fence > 0)) choices.push(`fence ${index}`);
    if (!isAlive) continue;
    if (line.length > 0) choices.push(`commit ${index}`);
    if (line.length > 0 && budget.lost > 0) choices.push(`lose ${index}`);
    if (aside.length > 0) choices.push(`join ${index}`);
    if (next >= 0) choices.push(`begin ${index}`);
    if (budget.crash > 0) choices.push(`crash ${index}`);
    if (!isSweeping && store.lostNodes().length > 0) choices.push(`sweep ${index}`);
  }
  for (const [call, { node }] of open) if (node.isAlive) choices.push(`end ${call}`);
  const isTicking = nodes.some(({ isAlive, timers }) => isAlive && timers.size > 0);
  return choices.length === 0 && isTicking ? ["wait"] : choices;
}

function take(scene: Scene, choice: string): void {
  const { nodes, budget, store, open } = scene;
  const [what, at] = choice.split(" ");
  const index = Number(at);
  const node = nodes[index];
  scene.nowMs += stepMs;
  if (what === "end") endCall(scene, index);
  else if (node !== undefined) {
    if (what === "commit" || what === "lose") node.line.shift()?.commit(what === "lose");
    if (what === "lose") budget.lost -= 1;
    if (what === "join") node.aside.shift()?.commit(false);
    if (what === "begin") beginCall(scene, node);
    if (what === "fence") store.endEpoch(node.id);
    if (what === "fence" && node.isAlive) budget.fence -= 1;
    if (what === "sweep") void sweep(scene, node);
    if (what === "crash") {
      budget.crash -= 1;
      node.isAlive = false;
      for (const [call, one] of open) if (one.node === node) open.delete(call);
    }
  }
  drainMicrotasks();
  for (const { isAlive, timers } of nodes) {
    const due = [...timers.values()];
    timers.clear();
    if (isAlive) for (const run of due) run();
  }
  drainMicrotasks();
}

function beginCall({ calls, open }: Scene, node: Node): void {
  const index = calls.findIndex(({ state }) => state === "new");
  const call = calls[index];
  if (call === undefined) return;
  call.state = "waiting";
  const of = { id: `call-${index}`, userId, tokenId: 0, tokenLimited: false };
  const input = { ...of, modelName: "m", group: "g", want: 1, least: 1 };
  void Promise.resolve(node.holds.reserve(input)).then((answer) => {
    call.state = answer.kind === "held" ? "open" : "refused";
    if (answer.kind === "held" && node.isAlive) open.set(index, { hold: answer.hold, node });
  });
}

function endCall({ calls, open }: Scene, index: number): void {
  const call = calls[index];
  const running = open.get(index);
  open.delete(index);
  if (call === undefined || running === undefined) return;
  call.state = "ended";
  const log = { ...template, requestId: `call-${index}`, userId };
  running.hold.settle({ charge: 1, log }).then(
    ({ charged }) => {
      call.state = "told";
      call.charged = charged;
    },
    () => {},
  );
}

async function sweep(scene: Scene, node: Node): Promise<void> {
  const { store } = scene;
  node.isSweeping = true;
  const of = {
    applyEnded: async (id: string, apart: boolean) =>
      await enter(node.line, `write ended ${id}`, () => store.applyEnded(id, apart)),
    releaseInterrupted: async (id: string) =>
      await enter(node.line, `release ${id}`, () => store.releaseInterrupted(id).length),
    endEpochs: async () => await Promise.resolve([]),
    hasNode: async () => await Promise.resolve(true),
  };
  try {
    await releaseNodes({ store: of, log: { warn() {} } }, store.lostNodes());
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) scene.bug ??= String(error);
  }
  node.isSweeping = false;
}

/** What must hold at every moment. */
function findFlaw({ store, calls, bug }: Scene): string | null {
  if (bug !== null) return bug;
  const flaw = openOracle(store, () => false).absorb();
  if (flaw !== null) return flaw;
  for (const [index, { state, charged }] of calls.entries()) {
    const id = `call-${index}`;
    const rows = store.entries.filter(({ requestId }) => requestId === id).length;
    const isPromised = store.promised.has(id);
    if (rows + Number(isPromised) > 1) return `${id} is charged twice`;
    if (rows + Number(isPromised) > 0 && store.interrupted.has(id)) return `${id} was told free`;
    if (state === "told" && charged > 0 && rows === 0 && !isPromised) return `${id} is not charged`;
  }
  return null;
}

/** What must hold when nothing can happen any more. */
function findRest({ store, calls }: Scene): string | null {
  if (store.unapplied() > 0) return "a record never gets into the books";
  if (store.reservations.size > 0) return "a hold is never given back";
  for (const [index, { state }] of calls.entries()) {
    const isKnown = state !== "ended" || store.interrupted.has(`call-${index}`);
    const isCharged = store.entries.some(({ requestId }) => requestId === `call-${index}`);
    if (!isKnown && !isCharged) return `call-${index} neither ends nor is interrupted`;
  }
  return null;
}

function stateOf(scene: Scene): string {
  const { store, nodes, calls, budget, open } = scene;
  const ofNode = (node: Node): unknown => ({
    flags: [node.isAlive, node.isSweeping, node.lanes.failing(), node.trail],
    counts: [node.timers.size, node.aside.length, node.membership?.epoch()],
    line: node.line.map(({ name }) => name),
    ids: [node.lanes.pendingIds(), node.holds.openIds()],
  });
  return JSON.stringify({
    calls: [calls, [...open.keys()], budget],
    causes: store.entries.map(({ cause }) => cause),
    holds: [...store.reservations].map(([id, row]) => [id, row.nodeId, row.epoch, row.amount]),
    records: store.records().map(({ nodeId, seq, sum }) => [nodeId, seq, sum]),
    heads: [...store.heads],
    interrupted: [...store.interrupted],
    epochs: [...store.nodes].map(([id, { epoch }]) => [id, epoch]),
    nodes: nodes.map(ofNode),
  });
}

type Found = {
  /** What was violated, and after which choices; null: nothing. */
  readonly flaw: string | null;
  readonly states: number;
  readonly ends: number;
};

/** Tries every order, or as many as lead to so many states. */
export function search(callCount: number, statesMax: number): Found {
  const seen = new Set<string>();
  const branches: (readonly string[])[] = [[]];
  let ends = 0;
  for (;;) {
    const branch = branches.pop();
    if (branch === undefined || seen.size >= statesMax) {
      return { flaw: null, states: seen.size, ends };
    }
    const scene = openScene(callCount);
    for (const choice of branch) take(scene, choice);
    for (let path = branch; ;) {
      const flaw = findFlaw(scene);
      const found = (reason: string): Found => ({
        flaw: `${reason} after ${path.join(", ")}`,
        states: seen.size,
        ends,
      });
      if (flaw !== null) return found(flaw);
      const state = stateOf(scene);
      if (seen.has(state)) break;
      seen.add(state);
      const [first, ...others] = choicesOf(scene);
      if (first === undefined) {
        ends += 1;
        const rest = findRest(scene);
        if (rest !== null) return found(rest);
        break;
      }
      for (const other of others) branches.push([...path, other]);
      path = [...path, first];
      take(scene, first);
    }
  }
}

if (import.meta.main) {
  const found = search(Number(process.argv[2] ?? 1), Number(process.argv[3] ?? Infinity));
  process.stdout.write(`${JSON.stringify(found)}\n`);
  process.exitCode = found.flaw === null ? 0 : 1;
}
