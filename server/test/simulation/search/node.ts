/**
 * A node of the search: the product's judge, holds, lanes, journal, books and recovery. What it wants
 * of the store waits until the search lets it happen, in one line for each part of the node.
 */

import { StoreUnavailable } from "#db/store-unavailable.ts";
import { type Holds, openHolds } from "#modules/ledger/holds.ts";
import {
  type Books,
  type BooksClock,
  type BooksRoom,
  booksRoom,
  openBooks,
} from "#modules/ledger/journal/books.ts";
import { openJournal } from "#modules/ledger/journal/journal.ts";
import { type Lanes, openLanes } from "#modules/ledger/journal/lanes.ts";
import { releaseNodes } from "#modules/ledger/journal/recover.ts";
import { openJudge } from "#modules/ledger/judge.ts";
import { type Membership, openMembership } from "#modules/ledger/membership.ts";
import type { Batch } from "#modules/ledger/operations.ts";
import type { SendAnswer } from "#modules/ledger/queue.ts";
import type { Later, SearchStore } from "./store.ts";

/** By how much the clock goes on with each choice, in milliseconds: longer than books are idle. */
export const stepMs = 11;

/** The beginning of the name of a step that writes a record. */
export const appending = "append ";

/** The parts of a node that ask the store at the same time. */
export const parts = ["books", "journal", "judged", "join", "sweep"] as const;

type Part = (typeof parts)[number];

type Lines = Readonly<Record<Part, Step[]>>;

/** Something that waits for the store. */
export type Step = {
  readonly name: string;
  /** Lets it happen. `isLost`: its answer does not come. */
  commit(isLost: boolean): Promise<void>;
  /** Tells that no answer came, although it may happen yet. */
  giveUp(): void;
};

export type Node = {
  readonly id: string;
  isAlive: boolean;
  /** What waits for the store, by what asks it, in order. */
  readonly lines: Lines;
  /** What was given up and may happen yet. */
  readonly late: Step[];
  readonly timers: Map<number, () => void>;
  readonly holds: Holds;
  readonly lanes: Lanes;
  readonly books: Books;
  membership: Membership | undefined;
  isSweeping: boolean;
  /** What became of the node's last record, which its journal remembers. */
  trail: string;
};

/** What nodes have in common. */
export type NodeScene = {
  readonly store: SearchStore;
  /** How much may be missing in the books of a node; absent: as in the product. */
  readonly room?: BooksRoom | undefined;
  nowMs: number;
  /** What happened that must not; null: nothing. */
  bug: string | null;
};

/** Short waits are over at once; those of a second and more never are. */
const wait = async (ms: number) => await (ms < 1_000 ? undefined : new Promise<void>(() => {}));

const away = (): StoreUnavailable => new StoreUnavailable("away");

/** Lets something wait in a line for the store. */
function enter<Result>(line: Step[], name: string, apply: () => Later<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    line.push({
      name,
      async commit(isLost) {
        try {
          const result = await apply();
          if (isLost) reject(away());
          else resolve(result);
        } catch (error) {
          reject(error);
        }
      },
      giveUp: () => reject(away()),
    });
  });
}

/** Opens a node that waits for its first epoch. */
export function openNode(scene: NodeScene, id: string): Node {
  const { store } = scene;
  const lines: Lines = { books: [], journal: [], judged: [], join: [], sweep: [] };
  const timers = new Map<number, () => void>();
  const elapsed = (): number => scene.nowMs;
  const books = openNodeBooks(scene, { id, lines, timers });
  const journal = openJournal({
    books,
    store: {
      appendRecord: async (record) =>
        await enter(
          lines.journal,
          `${appending}${record.seq} ${record.epoch} ${record.body}`,
          () => {
            node.trail = `${record.seq} ${node.membership?.epoch()}`;
            return store.appendRecord(record);
          },
        ),
      readJournalEnd: async (of) =>
        await enter(lines.journal, "end", () => store.readJournalEnd(of)),
    },
  });
  const lanes = openLanes({
    nodeId: id,
    journal,
    books,
    epoch: () => node.membership?.epoch() ?? 0,
    rejoin: async (ended) => await node.membership?.rejoin(ended),
    apply: async (batch) => await applyIn(lines.judged, store, batch),
    elapsed,
    wait,
    onRefused: ({ type }) => void (scene.bug ??= `a ${type} was left out`),
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
  const state = { isAlive: true, membership: undefined, isSweeping: false, trail: "" };
  const node: Node = { ...state, id, lines, late: [], timers, holds, lanes, books };
  void join(scene, node);
  return node;
}

function openNodeBooks(
  scene: NodeScene,
  { id, lines, timers }: Pick<Node, "id" | "lines" | "timers">,
): Books {
  let ids = 0;
  const clock: BooksClock = {
    elapsed: () => scene.nowMs,
    wait,
    setTimer(run, ms) {
      if (ms <= stepMs) timers.set((ids += 1), run);
      return ids;
    },
    clearTimer: (timer) => void timers.delete(Number(timer)),
  };
  const books = openBooks(clock, scene.room ?? booksRoom);
  books.open({
    recovered: undefined,
    apply: async (upTo, apart) =>
      await enter(lines.books, `write ${upTo}`, () => scene.store.applyRecords(id, upTo, apart)),
    countRefused: async () => 0,
    tellRefused: async () => {},
    log: { error() {} },
  });
  return books;
}

/** Applies a batch in one transaction, as `open-ledger.ts` does. */
async function applyIn(line: Step[], store: SearchStore, batch: Batch): Promise<SendAnswer> {
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

async function join(scene: NodeScene, node: Node): Promise<void> {
  node.membership = await openMembership({
    nodeId: node.id,
    // Only a heartbeat that finds the epoch ended changes anything.
    beat: async () => await Promise.resolve({ kind: "ended" }),
    async join(own) {
      const epoch = await enter(node.lines.join, "join", () => scene.store.joinNodes(own));
      return { epoch, atMs: scene.nowMs, isBehind: false };
    },
    lineage: async () => await Promise.resolve(""),
    elapsed: () => scene.nowMs,
    onEpoch: () => node.lanes.noteEpoch(node.holds.openIds()),
    onBehind() {},
    onRejoined() {},
  });
}

/** Lets a node end what others of ended epochs have left. */
export async function sweep(
  scene: NodeScene,
  node: Node,
  lostIds: readonly string[],
): Promise<void> {
  const { store } = scene;
  node.isSweeping = true;
  /** Nodes of whose records this look has found no more. */
  const written = new Set<string>();
  const of = {
    async applyEnded(id: string, apart: boolean) {
      const isMore = await enter(node.lines.sweep, `write ended ${id}`, () =>
        store.applyEnded(id, apart),
      );
      if (!isMore) written.add(id);
      return isMore;
    },
    async releaseInterrupted(id: string) {
      if (!written.has(id)) scene.bug ??= `holds of ${id} end while its records may be left`;
      return await enter(node.lines.sweep, `release ${id}`, () => store.releaseInterrupted(id));
    },
    endEpochs: async () => await Promise.resolve([]),
    hasNode: async () => await Promise.resolve(true),
  };
  try {
    await releaseNodes({ store: of, log: { warn() {} } }, lostIds);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) scene.bug ??= String(error);
  }
  node.isSweeping = false;
}
