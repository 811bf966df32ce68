/**
 * The running calls of all nodes. On PostgreSQL each node stores once a second what runs on it, but
 * only while somebody watches at any of them; orders to stop calls reach every node within two
 * seconds. On SQLite there is one process, and nothing is stored.
 */

import { allRunning, type RunningFilter } from "#canonical/running-filter.ts";
import type { Running, RunningCall, StoppedBy } from "#ports/running.ts";
import type { Job } from "#jobs/job.ts";
import { liveCallsMax } from "@tollgate/contract/endpoints/live.ts";
import type { ListedNode, LiveStore, Order } from "./live.store.ts";

/** How often a node looks what others want of it, in milliseconds. */
const lookEveryMs = 1_000;

/** How long a watch lasts that is not renewed, and how often it is, in milliseconds. */
const watchMs = 10_000;
const renewEveryMs = 4_000;

/** A node whose calls are older than this is shown as one that does not answer. */
export const answersMs = 5_000;

/** How long a stop waits for the answers of other nodes, and how often it looks, in milliseconds. */
const stopWaitMs = 2_500;
const stopLookMs = 100;

/** How long the calls of other nodes are waited for before they are counted, in milliseconds. */
const freshWaitMs = 2_500;

export type OtherNode = Omit<ListedNode, "calls"> & { readonly calls: readonly RunningCall[] };

export type LiveNodes = {
  /** The name of this node. */
  readonly name: string;
  /** Must be called when somebody begins to watch. @returns what is to be called at the end. */
  watch(): () => void;
  /** The other nodes that live, as they were last read while somebody watched here. */
  others(): readonly OtherNode[];
  /** Reads the other nodes anew, and waits until each has told what runs now, but not for long. */
  readOthers(): Promise<readonly OtherNode[]>;
  /** Stops calls on all nodes, and notes it in the audit log. */
  stop(stop: Stop): Promise<Stopped>;
  readonly jobs: readonly Job[];
};

type Stop = {
  readonly filter: RunningFilter;
  readonly by: StoppedBy;
  readonly order: Omit<Order, "body">;
};

type Stopped = { readonly stopped: number; readonly silent: string[] };

type LiveNodeDeps = {
  readonly store: LiveStore;
  readonly running: Running;
  readonly nodeId: string;
  readonly name: () => string;
  /** Whether several processes may share the database. */
  readonly isShared: boolean;
  /** Milliseconds of a monotonic clock. */
  readonly nowMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
};

type State = {
  readonly deps: LiveNodeDeps;
  watchers: number;
  /** When the watch must be renewed. */
  renewMs: number;
  /** Orders from before, by the database's clock, are not for this process; null: not known yet. */
  sinceMs: number | null;
  others: readonly OtherNode[];
  /** When they were read. */
  readMs: number;
};

export function openLiveNodes(deps: LiveNodeDeps): LiveNodes {
  const state: State = {
    deps,
    watchers: 0,
    renewMs: -Infinity,
    sinceMs: null,
    others: [],
    readMs: 0,
  };
  return {
    get name() {
      return deps.name();
    },
    watch() {
      state.watchers += 1;
      return () => {
        state.watchers -= 1;
      };
    },
    others: () => aged(state),
    readOthers: async () => await readOthers(state),
    stop: async (stop) => await stopEverywhere(state, stop),
    jobs: deps.isShared
      ? [
          {
            name: "live",
            everyMs: lookEveryMs,
            runs: "every-node",
            run: async () => await look(state),
          },
        ]
      : [],
  };
}

/** The other nodes; their calls have run on since they were read. */
function aged({ deps, others, readMs }: State): readonly OtherNode[] {
  const sinceMs = Math.round(deps.nowMs() - readMs);
  return others.map((node) => ({ ...node, ageMs: node.ageMs + sinceMs }));
}

/** Does what others want of this node, and what watchers here want of others. */
async function look(state: State): Promise<void> {
  const { nodeId, running, store } = state.deps;
  const { nowMs, stops, watched } = await store.readOrders(nodeId, state.sinceMs);
  if (state.sinceMs === null) {
    state.sinceMs = nowMs;
    await tell(state);
    return;
  }
  const answers = stops.map(({ id, body }) => {
    const { filter, by } = readBody(body);
    return { stopId: id, calls: running.stop(filter, by) };
  });
  if (answers.length > 0) await store.answerStops(nodeId, answers);
  if (state.watchers > 0) await keepWatch(state);
  if (watched || state.watchers > 0) await tell(state);
  if (state.watchers > 0) await read(state);
}

async function keepWatch(state: State): Promise<void> {
  const nowMs = state.deps.nowMs();
  if (nowMs < state.renewMs) return;
  state.renewMs = nowMs + renewEveryMs;
  await state.deps.store.keepWatch(state.deps.nodeId, watchMs);
}

async function tell({ deps: { name, nodeId, running, store } }: State): Promise<void> {
  const { calls, total } = running.list(allRunning, liveCallsMax);
  await store.putNode({
    nodeId,
    name: name(),
    total,
    isDraining: running.isDraining(),
    calls: JSON.stringify(calls),
  });
}

async function read(state: State): Promise<void> {
  const { deps } = state;
  const nodes = await deps.store.listNodes();
  state.readMs = deps.nowMs();
  state.others = nodes
    .filter(({ nodeId }) => nodeId !== deps.nodeId)
    // Safe cast: `tell` of the other node, or of a later version of it, has written the text.
    .map((node) => ({ ...node, calls: JSON.parse(node.calls) as RunningCall[] }));
}

async function readOthers(state: State): Promise<readonly OtherNode[]> {
  const { deps } = state;
  if (!deps.isShared) return [];
  await keepWatch(state);
  const fromMs = deps.nowMs();
  for (;;) {
    await read(state);
    const passedMs = deps.nowMs() - fromMs;
    if (passedMs >= freshWaitMs || state.others.every(({ ageMs }) => ageMs <= passedMs)) break;
    await deps.wait(stopLookMs);
  }
  return aged(state);
}

async function stopEverywhere({ deps }: State, { by, filter, order }: Stop): Promise<Stopped> {
  const { isShared, nodeId, running, store } = deps;
  const body = JSON.stringify({ filter, by });
  if (!isShared) {
    await store.noteStop({ ...order, body });
    return { stopped: running.stop(filter, by), silent: [] };
  }
  const id = await store.addStop({ ...order, body });
  await store.answerStops(nodeId, [{ stopId: id, calls: running.stop(filter, by) }]);
  const dueMs = deps.nowMs() + stopWaitMs;
  for (;;) {
    const { calls, silent } = await store.readAnswers(id);
    if (silent.length === 0 || deps.nowMs() >= dueMs) return { stopped: calls, silent };
    await deps.wait(stopLookMs);
  }
}

/** Reads an order that `stopEverywhere` of some node has written. */
function readBody(body: string): Pick<Stop, "by" | "filter"> {
  // Safe cast: nothing else writes such texts.
  return JSON.parse(body) as Pick<Stop, "by" | "filter">;
}
