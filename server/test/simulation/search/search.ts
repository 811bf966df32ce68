/**
 * Searches every order in which things can happen to a few calls of two nodes that share a database,
 * with the product's judge, holds, lanes, journal, books and recovery: once a question or an answer
 * is lost, or a record is written late; one node is taken for dead while it runs, one dies. By hand:
 * `bun server/test/simulation/search/search.ts <calls> <quota> <want> <cost> <most states>`.
 */

import type { OpenHold } from "#modules/ledger/hold.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";
import {
  appending,
  type Node,
  type NodeScene,
  openNode,
  parts,
  type Step,
  stepMs,
  sweep,
} from "./node.ts";
import { type Call, findFlaw, findRest, idOf, lostIn } from "./rules.ts";
import { inModel, type OpenStore, type Tables, userId } from "./store.ts";

/** What is searched. */
export type Plan = {
  readonly calls: number;
  /** The quota of the user. */
  readonly wealth: number;
  /** How much each call wants to hold; it needs 1 at least. */
  readonly want: number;
  /** What each call costs. If that is more than it holds, the books judge it. */
  readonly cost: number;
  /** How often each trouble happens; absent: once. */
  readonly troubles?: Troubles;
  /** How many calls a node may have told that are not in the books; absent: as in the product. */
  readonly unapplied?: number;
};

type Troubles = {
  /** Questions that get lost or come late, and answers that do not come. */
  readonly lost: number;
  /** Nodes that run and are taken for dead. */
  readonly fence: number;
  readonly crash: number;
};

const everyTrouble: Troubles = { lost: 1, fence: 1, crash: 1 };

type Scene = NodeScene & {
  readonly plan: Plan;
  readonly nodes: readonly Node[];
  readonly calls: readonly Call[];
  readonly open: Map<number, { readonly hold: OpenHold; readonly node: Node }>;
  /** Clients that have just heard of the end of their call, and read the books next. */
  readonly readers: (() => Promise<void>)[];
  /** The troubles that may still happen. */
  readonly left: { lost: number; fence: number; crash: number };
};

/** Resolves when everything has happened that waits for nothing. */
const settled = async (): Promise<void> =>
  await new Promise((resolve) => void setImmediate(resolve));

async function openScene(plan: Plan, store: NodeScene["store"]): Promise<Scene> {
  const nodes: Node[] = [];
  const scene: Scene = {
    plan,
    store,
    nodes,
    room: plan.unapplied === undefined ? undefined : { calls: plan.unapplied, ms: Infinity },
    calls: Array.from({ length: plan.calls }, () => ({ state: "new", charged: 0, isRead: false })),
    open: new Map(),
    readers: [],
    left: { ...(plan.troubles ?? everyTrouble) },
    nowMs: 1_000,
    bug: null,
  };
  for (const id of ["a", "b"]) nodes.push(openNode(scene, id));
  await settled();
  for (const { lines } of nodes) await lines.join.shift()?.commit(false);
  await settled();
  return scene;
}

/** Everything that can happen next. */
function choicesOf(scene: Scene, tables: Tables): string[] {
  const { nodes, open } = scene;
  const choices = nodes.flatMap((node, index) => choicesAt(scene, tables, { node, index }));
  for (const [call, { node }] of open) if (node.isAlive) choices.push(`end ${call}`);
  const isTicking = nodes.some(({ isAlive, timers }) => isAlive && timers.size > 0);
  return choices.length === 0 && isTicking ? ["wait"] : choices;
}

function choicesAt(
  { nodes, calls, left }: Scene,
  tables: Tables,
  { node, index }: { readonly node: Node; readonly index: number },
): string[] {
  const { id, isAlive, lines, late, isSweeping, membership } = node;
  const choices: string[] = [];
  if (late.length > 0) choices.push(`arrive ${index}`);
  const isCurrent = tables.epochs.get(id) === membership?.epoch();
  if (isCurrent && (!isAlive || left.fence > 0)) choices.push(`fence ${index}`);
  if (!isAlive) return choices;
  if (!isCurrent && lines.join.length === 0) choices.push(`beat ${index}`);
  for (const part of parts) {
    const [step] = lines[part];
    if (step === undefined) continue;
    choices.push(`commit ${index} ${part}`);
    if (left.lost === 0 || part === "join") continue;
    choices.push(`lose ${index} ${part}`, `drop ${index} ${part}`);
    if (step.name.startsWith(appending)) choices.push(`delay ${index} ${part}`);
  }
  const next = calls.findIndex(({ state }) => state === "new");
  // Nodes are alike, so the first call begins at the first.
  const isFirst = next === 0 && nodes[0]?.isAlive === true;
  if (isFirst ? index === 0 : next >= 0) choices.push(`begin ${index}`);
  if (left.crash > 0) choices.push(`crash ${index}`);
  if (!isSweeping && lostIn(tables).length > 0) choices.push(`sweep ${index}`);
  return choices;
}

async function take(scene: Scene, choice: string): Promise<void> {
  const [what, at, part] = choice.split(" ");
  const index = Number(at);
  const node = scene.nodes[index];
  const readers = scene.readers.splice(0);
  scene.nowMs += stepMs;
  if (what === "end") endCall(scene, index);
  else if (node !== undefined && part !== undefined) {
    const line = node.lines[parts.find((one) => one === part) ?? "join"];
    await answer(scene, node, { what, step: line.shift() });
  } else if (node !== undefined) await happen(scene, node, what);
  await settled();
  for (const { isAlive, timers } of scene.nodes) {
    const due = [...timers.values()];
    timers.clear();
    if (isAlive) for (const run of due) run();
  }
  for (const read of readers) void read();
  await settled();
}

type Answering = { readonly what: string | undefined; readonly step: Step | undefined };

/** Lets the store do what waits for it, or not. */
async function answer({ left }: Scene, node: Node, { what, step }: Answering): Promise<void> {
  if (step === undefined) return;
  if (what !== "commit") left.lost -= 1;
  if (what === "commit" || what === "lose") await step.commit(what === "lose");
  else step.giveUp();
  if (what === "delay") node.late.push(step);
}

async function happen(scene: Scene, node: Node, what: string | undefined): Promise<void> {
  const { left, store, open } = scene;
  if (what === "arrive") await node.late.shift()?.commit(true);
  if (what === "beat") void node.membership?.beat();
  if (what === "begin") beginCall(scene, node);
  if (what === "fence") {
    await store.endEpoch(node.id);
    if (node.isAlive) left.fence -= 1;
  }
  if (what === "sweep") void sweep(scene, node, lostIn(await store.read()));
  if (what === "crash") {
    left.crash -= 1;
    node.isAlive = false;
    for (const [call, one] of open) if (one.node === node) open.delete(call);
  }
}

function beginCall({ calls, open, plan }: Scene, node: Node): void {
  const index = calls.findIndex(({ state }) => state === "new");
  const call = calls[index];
  if (call === undefined) return;
  call.state = "waiting";
  const of = { id: idOf(index), userId, tokenId: 0, tokenLimited: false };
  const input = { ...of, modelName: "m", group: "g", want: plan.want, least: 1 };
  const begun = Promise.resolve(node.holds.reserve(input)).then((answer) => {
    call.state = answer.kind === "held" ? "open" : "refused";
    if (answer.kind === "held" && node.isAlive) open.set(index, { hold: answer.hold, node });
  });
  begun.catch(() => {});
}

function endCall({ calls, open, plan, readers }: Scene, index: number): void {
  const call = calls[index];
  const running = open.get(index);
  open.delete(index);
  if (call === undefined || running === undefined) return;
  const { hold, node } = running;
  call.state = "ended";
  const log = chargedLog({ requestId: idOf(index), userId, tokenId: 0 });
  const told = hold.settle({ charge: plan.cost, log }).then(({ charged }) => {
    call.state = "told";
    call.charged = charged;
    readers.push(async () => {
      await node.books.barrier();
      call.isRead = true;
    });
  });
  told.catch(() => {});
}

function stateOf({ nodes, calls, left, open, readers }: Scene, tables: Tables): string {
  const ofNode = (node: Node): unknown => ({
    flags: [node.isAlive, node.isSweeping, node.lanes.failing(), node.trail],
    counts: [node.timers.size, node.membership?.epoch()],
    lines: parts.map((part) => node.lines[part].map(({ name }) => name)),
    late: node.late.map(({ name }) => name),
    ids: [node.lanes.pendingIds(), node.holds.openIds()],
  });
  return JSON.stringify({
    calls: [calls, [...open.keys()], left, readers.length],
    causes: tables.entries.map(({ cause }) => cause).toSorted(),
    holds: tables.reservations.map(({ id, nodeId, epoch, amount }) => [id, nodeId, epoch, amount]),
    records: tables.records.map(({ nodeId, seq, sum }) => [nodeId, seq, sum]),
    heads: tables.heads,
    interrupted: tables.interrupted,
    epochs: [...tables.epochs],
    nodes: nodes.map(ofNode),
  });
}

export type Found = {
  /** What was violated, and after which choices; null: nothing. */
  readonly flaw: string | null;
  readonly states: number;
  readonly ends: number;
};

/** Tries every order, or as many as lead to so many states. */
export async function search(
  plan: Plan,
  statesMax: number,
  openStore: OpenStore = inModel,
): Promise<Found> {
  /** Digests of the states. */
  const seen = new Set<bigint | number>();
  const branches: (readonly string[])[] = [[]];
  let ends = 0;
  while (seen.size < statesMax) {
    const branch = branches.pop();
    if (branch === undefined) break;
    const { flaw, isEnd } = await openStore(plan.wealth, async (store) => {
      const scene = await openScene(plan, store);
      for (const choice of branch) await take(scene, choice);
      return await follow(scene, branch, { seen, branches });
    });
    if (flaw !== null) return { flaw, states: seen.size, ends };
    if (isEnd) ends += 1;
  }
  return { flaw: null, states: seen.size, ends };
}

type Searched = {
  readonly seen: Set<bigint | number>;
  /** The choices that were not tried, each after those that lead to it. */
  readonly branches: (readonly string[])[];
};

/** Goes on with the first of all choices until nothing can happen, or a state was seen before. */
async function follow(
  scene: Scene,
  from: readonly string[],
  { seen, branches }: Searched,
): Promise<{ readonly flaw: string | null; readonly isEnd: boolean }> {
  const { calls, nodes } = scene;
  const { unapplied = Infinity } = scene.plan;
  for (let path = from; ;) {
    const tables = await scene.store.read();
    const flaw = scene.bug ?? findFlaw({ tables, calls, nodes, unapplied });
    if (flaw !== null) return { flaw: `${flaw} after ${path.join(", ")}`, isEnd: false };
    const state = Bun.hash(stateOf(scene, tables));
    if (seen.has(state)) return { flaw, isEnd: false };
    seen.add(state);
    const [first, ...others] = choicesOf(scene, tables);
    if (first === undefined) {
      const rest = findRest({ tables, calls });
      return { flaw: rest === null ? null : `${rest} after ${path.join(", ")}`, isEnd: true };
    }
    for (const other of others) branches.push([...path, other]);
    path = [...path, first];
    await take(scene, first);
  }
}

if (import.meta.main) {
  const given = process.argv.slice(2).map(Number);
  const [calls = 1, wealth = 2, want = 1, cost = 1, statesMax = Infinity] = given;
  const found = await search({ calls, wealth, want, cost }, statesMax);
  process.stdout.write(`${JSON.stringify(found)}\n`);
  process.exitCode = found.flaw === null ? 0 : 1;
}
