/**
 * When the records of this node get into the books, and who waits for it. The thread that relays
 * knows which records are committed before any client does, so whoever asks for books after an
 * answer's end finds that answer noted here.
 */

import type { Gauge } from "#base/gauge.ts";
import type { Logger } from "#base/logger.ts";
import { StoreUnavailable } from "#db/store-unavailable.ts";
import type { Applied } from "./apply-records.ts";

export type Books = {
  /**
   * Resolves when every record that is noted now is in the books; undefined: every one is. Rejects
   * with `StoreUnavailable` when the store takes too long.
   */
  readonly barrier: () => Promise<void> | undefined;
  /**
   * Waits as `barrier` does, for what only reads; while the store does not commit, not for long: what
   * is in the books can be read all the same.
   */
  readonly readBarrier: () => Promise<void> | undefined;
  /** Waits as `barrier` does, if so much is not in the books that nothing may be added. */
  readonly room: () => Promise<void> | undefined;
  /** Notes a record that is committed. */
  readonly note: (seq: number, calls: number) => void;
  /** Gives the function that writes records into the books. Before that there are none. */
  readonly open: (deps: BooksDeps) => void;
  /** Counts again what could not be written into the books as the journal says, by any node. */
  readonly recount: () => Promise<void>;
  readonly gauges: readonly Gauge[];
};

type BooksDeps = {
  /** Writes the records up to `upTo` into the books. */
  readonly apply: (upTo: number, apart: boolean) => Promise<Applied>;
  /**
   * Settles when the books have what the last process of this node has told its clients; undefined:
   * they have.
   */
  readonly recovered: Promise<void> | undefined;
  /** Counts what could not be written as its record says. */
  readonly countRefused: () => Promise<number>;
  /** Tells root that so much could not be written. Does not throw. */
  readonly tellRefused: (count: number) => Promise<void>;
  readonly log: Pick<Logger, "error">;
};

/** How many calls make a group that is written at once. */
const groupCalls = 100;

/**
 * How many records make a group, however few calls they tell of. While one call runs at a time, each
 * record has one call, and the next call waits for the group: so it is half as large.
 */
const groupRecords = 50;

/** How long no record must have come for the rest to be written, in milliseconds. */
const idleMs = 10;

/** The longest that a record waits for others of its group, in milliseconds. */
const groupMs = 100;

/** With so much not in the books, no further record is added before them: calls, and age in ms. */
export type BooksRoom = { readonly calls: number; readonly ms: number };

export const booksRoom: BooksRoom = { calls: 2_000, ms: 500 };

/** How long a reader waits for the books, in milliseconds. */
const barrierMaxMs = 10_000;

/** How long the store may not commit before nobody waits for the books, in milliseconds. */
const stuckMaxMs = 1_000;

const notComplete = "the books are not complete: the store does not commit";

/** Pause before a group that could not be written is tried again, in milliseconds. */
const retryMs = 200;

/** A record that is not in the books; `place`: how many were noted before it. */
type Noted = {
  readonly place: number;
  readonly seq: number;
  readonly calls: number;
  readonly atMs: number;
};

type Timer = number | ReturnType<typeof setTimeout>;

/** Time as the books see it. */
export type BooksClock = {
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  readonly wait: (ms: number) => Promise<void>;
  readonly setTimer: (run: () => void, ms: number) => Timer;
  readonly clearTimer: (timer: Timer | undefined) => void;
};

/** The clock of this process. */
export const booksClock: BooksClock = {
  elapsed: () => performance.now(),
  wait: Bun.sleep,
  setTimer: setTimeout,
  clearTimer: clearTimeout,
};

export function openBooks(clock: BooksClock, room = booksRoom): Books {
  const { elapsed, setTimer, clearTimer } = clock;
  let deps: BooksDeps | undefined;
  let recovering: Promise<void> | undefined;
  const noted = openNoted(elapsed, room);
  const waiters = openWaiters(clock);
  const applier = openApplier(clock);
  let isRunning = false;
  let timer: Timer | undefined;

  function isDue(): boolean {
    const first = noted.first();
    return first !== undefined && (waiters.wantAfter(first.place) || noted.isDue());
  }

  function tick(): void {
    timer = undefined;
    if (isRunning || noted.first() === undefined) return;
    if (isDue()) void run();
    else timer = setTimer(tick, idleMs);
  }

  async function run(): Promise<void> {
    isRunning = true;
    clearTimer(timer);
    timer = undefined;
    while (isDue()) {
      const group = noted.group();
      if (await applier.apply(deps, group)) waiters.reached(noted.drop(group));
      else if (applier.stuckMs() > stuckMaxMs) waiters.giveUp();
    }
    isRunning = false;
    if (noted.first() !== undefined) timer ??= setTimer(tick, idleMs);
  }

  function barrier(): Promise<void> | undefined {
    return recovering === undefined ? ownBarrier() : recovering.then(ownBarrier);
  }

  function ownBarrier(): Promise<void> | undefined {
    if (noted.first() === undefined) return undefined;
    if (applier.stuckMs() > stuckMaxMs) return Promise.reject(new StoreUnavailable(notComplete));
    const reached = waiters.wait(noted.places());
    if (!isRunning) void run();
    return reached;
  }

  const ifWorking = (error: unknown): void => {
    if (applier.stuckMs() === 0) throw error;
  };

  return {
    barrier,
    readBarrier: () => barrier()?.catch(ifWorking),
    room: () => (noted.isFull() ? ownBarrier() : undefined),
    note(seq, calls) {
      noted.add(seq, calls);
      if (isRunning) return;
      if (isDue()) void run();
      else timer ??= setTimer(tick, idleMs);
    },
    open(given) {
      deps = given;
      recovering = given.recovered?.finally(() => (recovering = undefined));
    },
    async recount() {
      applier.setRefused((await deps?.countRefused()) ?? 0);
    },
    gauges: gaugesOf(() => ({
      calls: noted.calls(),
      oldestMs: noted.oldestMs(),
      ...applier.figures(),
    })),
  };
}

/** The records that are not in the books, oldest first. */
function openNoted(elapsed: () => number, room: BooksRoom) {
  let records: Noted[] = [];
  let calls = 0;
  let places = 0;
  let lastMs = 0;

  const oldestMs = (): number => {
    const [first] = records;
    return first === undefined ? 0 : elapsed() - first.atMs;
  };

  return {
    first: () => records[0],
    places: () => places,
    calls: () => calls,
    oldestMs,
    isDue: () =>
      calls >= groupCalls ||
      records.length >= groupRecords ||
      oldestMs() >= groupMs ||
      elapsed() - lastMs >= idleMs,
    isFull: () => calls >= room.calls || oldestMs() >= room.ms,
    add(seq: number, count: number) {
      lastMs = elapsed();
      calls += count;
      records.push({ place: places, seq, calls: count, atMs: lastMs });
      places += 1;
    },
    /** Returns the oldest records that make a group. */
    group(): readonly Noted[] {
      let count = 0;
      const end = records.findIndex((record, index) => {
        count += record.calls;
        return index > 0 && (count > groupCalls || index >= groupRecords);
      });
      // A copy, because records are added while the group is written.
      return end < 0 ? [...records] : records.slice(0, end);
    },
    /** Forgets the records of a group. @returns the place after them. */
    drop(group: readonly Noted[]): number {
      const after = (group.at(-1)?.place ?? 0) + 1;
      records = records.filter(({ place }) => place >= after);
      calls = records.reduce((sum, record) => sum + record.calls, 0);
      return after;
    },
  };
}

/** Those who wait until the books have everything that was noted before a place. */
function openWaiters({ setTimer, clearTimer }: BooksClock) {
  type Waiter = {
    readonly place: number;
    readonly go: () => void;
    readonly fail: () => void;
  };
  let waiters: Waiter[] = [];
  return {
    /** Whether somebody waits for a record at this place. */
    wantAfter: (place: number) => waiters.some((waiter) => waiter.place > place),
    wait: (place: number): Promise<void> =>
      new Promise((resolve, reject) => {
        const fail = (): void => {
          clearTimer(late);
          waiters = waiters.filter((one) => one !== waiter);
          reject(new StoreUnavailable(notComplete));
        };
        const go = (): void => {
          clearTimer(late);
          resolve();
        };
        const late = setTimer(fail, barrierMaxMs);
        const waiter: Waiter = { place, go, fail };
        waiters.push(waiter);
      }),
    giveUp() {
      for (const { fail } of waiters) fail();
    },
    reached(place: number) {
      const ready = waiters.filter((waiter) => waiter.place <= place);
      waiters = waiters.filter((waiter) => waiter.place > place);
      for (const { go } of ready) go();
    },
  };
}

/** Writes groups of records into the books. */
function openApplier({ elapsed, wait }: BooksClock) {
  let groupTookMs = 0;
  let refused = 0;
  /** When the first of the attempts failed that have failed since the last success. */
  let failedAtMs: number | undefined;

  async function applyUpTo(deps: BooksDeps, upTo: number): Promise<void> {
    // One call writes the records of one epoch. If none is left, a database that went back has lost
    // the rest.
    for (let before = -1; ;) {
      const { applied } = await applyEachWay(deps, upTo);
      if (applied >= upTo || applied === before) return;
      before = applied;
    }
  }

  async function applyEachWay(deps: BooksDeps, upTo: number): Promise<Applied> {
    const done = await applyOrFind(deps, upTo);
    if (done.refused === 0) return done;
    refused += done.refused;
    deps.log.error(
      { refused: done.refused },
      "the ledger refused what the journal says; `tollgate audit` names it",
    );
    void deps.tellRefused(done.refused);
    return done;
  }

  return {
    /** False: it must be tried again. */
    async apply(deps: BooksDeps | undefined, group: readonly Noted[]): Promise<boolean> {
      if (deps === undefined) throw new Error("nothing was committed before the books are open");
      const fromMs = elapsed();
      try {
        // A database that went back numbers records anew, so the last need not have the highest.
        await applyUpTo(deps, Math.max(...group.map(({ seq }) => seq)));
      } catch (error) {
        if (failedAtMs === undefined && !(error instanceof StoreUnavailable)) {
          deps.log.error({ err: error }, "records of the journal could not be applied");
        }
        failedAtMs ??= fromMs;
        await wait(retryMs);
        return false;
      }
      failedAtMs = undefined;
      groupTookMs = elapsed() - fromMs;
      return true;
    },
    stuckMs: () => (failedAtMs === undefined ? 0 : elapsed() - failedAtMs),
    setRefused: (count: number) => void (refused = count),
    figures: () => ({ groupTookMs, refused }),
  };
}

/** Writes a group; if the database refuses that, finds out what of it, and writes the rest. */
async function applyOrFind(deps: BooksDeps, upTo: number): Promise<Applied> {
  try {
    return await deps.apply(upTo, false);
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    return await deps.apply(upTo, true);
  }
}

type Figures = {
  readonly calls: number;
  readonly oldestMs: number;
  readonly groupTookMs: number;
  readonly refused: number;
};

function gaugesOf(read: () => Figures): Gauge[] {
  return [
    {
      name: "tollgate_ledger_unapplied",
      help: "Operations in the journal that are not in the books yet.",
      read: () => read().calls,
    },
    {
      name: "tollgate_ledger_unapplied_age_seconds",
      help: "Age of the oldest of them.",
      read: () => read().oldestMs / 1_000,
    },
    {
      name: "tollgate_ledger_group_seconds",
      help: "How long it took to write the last group into the books.",
      read: () => read().groupTookMs / 1_000,
    },
    {
      name: "tollgate_ledger_refused",
      help: "What could not be written into the books as the journal says; root must look into it.",
      read: () => read().refused,
    },
  ];
}
