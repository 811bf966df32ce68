/**
 * The two ways of operations to the database. What nothing can refuse any more goes into the journal;
 * what the books have to judge is a transaction of its own, after the books have everything that was
 * committed before it.
 */

import type { Books } from "./books.ts";
import type { Journal } from "./journal.ts";
import { type Batch, idOf, type Operation } from "#modules/ledger/operations.ts";
import {
  type Lane,
  noPace,
  openQueue,
  type OperationQueue,
  type QueueDeps,
  type QueuePace,
  type SendAnswer,
} from "#modules/ledger/queue.ts";

type LanesDeps = Omit<QueueDeps, "send"> & {
  readonly journal: Journal;
  readonly books: Pick<Books, "barrier">;
  /** Delays what the books judge; absent: nothing is delayed. */
  readonly judgedPace?: QueuePace;
  /** Applies a batch in one transaction. */
  readonly apply: (batch: Batch) => Promise<SendAnswer>;
};

export type Lanes = OperationQueue & {
  /**
   * Called when a new epoch has begun, before anything is sent under it, with the ids of the calls
   * that run. Other nodes may have ended these calls and those on their way, so from now on only a
   * transaction can tell how they end.
   */
  noteEpoch(openIds: readonly string[]): void;
};

/** How long a call waits at most until the books have what ended before it, in milliseconds. */
const catchUpMs = 200;

export function openLanes(deps: LanesDeps): Lanes {
  const { journal, books, apply, judgedPace = noPace, ...common } = deps;
  let failing = 0;
  /** The ids of calls that began in an epoch that has ended. */
  let doubtful: ReadonlySet<string> = new Set();
  /** The ids of calls whose release waits for the books. */
  const releasing = new Set<string>();

  function isDoubtful(operation: Operation): boolean {
    return doubtful.size > 0 && doubtful.has(idOf(operation));
  }

  async function sendDecided(batch: Batch): Promise<SendAnswer> {
    if (!batch.operations.some(isDoubtful)) return await journal.send(batch);
    return (await journal.findSent(batch)) ?? (await behindBooks(batch));
  }

  async function sendJudged(batch: Batch): Promise<SendAnswer> {
    if (!batch.operations.some(readsBooks)) return await apply(batch);
    await decided.passed();
    return await behindBooks(batch);
  }

  async function behindBooks(batch: Batch): Promise<SendAnswer> {
    try {
      await books.barrier();
    } catch (error) {
      return { kind: "store-failed", reason: String(error) };
    }
    return await apply(batch);
  }

  // Only the first lane that fails and the last that works again are told.
  const onStoreState = (isFailing: boolean, reason: string): void => {
    const before = failing > 0;
    failing += isFailing ? 1 : -1;
    if (failing > 0 !== before) deps.onStoreState(isFailing, reason);
  };
  const decided = openQueue({ ...common, onStoreState, send: sendDecided });
  const judged = openQueue({ ...common, onStoreState, send: sendJudged, pace: judgedPace });

  /** A failure must not overtake the release: if the process died between them, a second row told it. */
  function isBehind(operation: Operation): boolean {
    return operation.type === "fail" && releasing.has(operation.log.requestId);
  }

  function laneOf(operation: Operation): Lane {
    if (isDecided(operation) && !isDoubtful(operation) && !isBehind(operation)) return decided;
    // A row of its reservation must not come after its end.
    if (operation.type === "settle") decided.forget(operation.id);
    return judged;
  }

  function followRelease(release: Operation & { readonly type: "release" }): void {
    const ended = (): void => void releasing.delete(release.id);
    releasing.add(release.id);
    judged.push(release).then(ended, ended);
  }

  return {
    push: (operation) => laneOf(operation).push(operation),
    post(operation) {
      const lane = laneOf(operation);
      if (operation.type === "release" && lane === judged) followRelease(operation);
      else lane.post(operation);
    },
    failing: () => decided.failing() || judged.failing(),
    lagMs: () => Math.max(decided.lagMs(), judged.lagMs()),
    length: () => decided.length() + judged.length(),
    pendingIds: () => [...decided.pendingIds(), ...judged.pendingIds()],
    async drained() {
      await Promise.all([decided.drained(), judged.drained()]);
    },
    caughtUp: async () => await catchUp(deps),
    noteEpoch(openIds) {
      doubtful = new Set([...openIds, ...decided.pendingIds(), ...judged.pendingIds()]);
    },
  };
}

async function catchUp({ books, wait }: Pick<LanesDeps, "books" | "wait">): Promise<boolean> {
  const written = books.barrier();
  if (written === undefined) return false;
  const isWritten = written.then(
    () => true,
    () => false,
  );
  return await Promise.race([isWritten, wait(catchUpMs).then(() => false)]);
}

/** Whether nothing can refuse the operation: its outcome does not depend on rows. */
function isDecided(operation: Operation): boolean {
  switch (operation.type) {
    case "settle":
      // A task may be one that was begun already.
      return operation.charged !== null && operation.log.task === undefined;
    case "release":
      return operation.behind !== true;
    case "fail":
    case "open":
      return true;
    case "budget":
    case "more":
    case "reverse":
    case "take":
      return false;
  }
}

/**
 * Whether the operation needs everything in the books that was committed before it. What is lent
 * does not: the books count a call at all that it holds until it is written there.
 */
function readsBooks({ type }: Operation): boolean {
  return type !== "take" && type !== "more";
}
