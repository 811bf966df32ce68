/** A process's way to the journal and its books, over the simulated store. */

import { type Books, type BooksClock, openBooks } from "#modules/ledger/journal/books.ts";
import { type Journal, openJournal } from "#modules/ledger/journal/journal.ts";
import type { Link } from "./link.ts";
import { lookAgain } from "./transactions.ts";
import type { SimNode, World } from "./world.ts";

type Parts = Ticking & { readonly id: string; readonly link: Link };

export function openNodeBooks(
  world: World,
  { id, link, ...ticking }: Parts,
): { readonly books: Books; readonly journal: Journal } {
  const { store } = world;
  const books = openBooks(clockOf(world, ticking));
  books.open({
    recovered: undefined,
    apply: async (upTo, apart) => await link.writeBooks(() => store.applyRecords(id, upTo, apart)),
    countRefused: async () => store.refused.length,
    tellRefused: async () => {},
    log: { error() {} },
  });
  const journal = openJournal({
    books,
    store: {
      appendRecord: async (record) =>
        await link.journal(record.calls, () => store.appendRecord(record)),
      readJournalEnd: async (nodeId) => await link.journal(1, () => store.readJournalEnd(nodeId)),
    },
  });
  return { books, journal: watchJournal(world, link, journal) };
}

/** Follows batches on the way of the journal, and checks that they go one by one. */
function watchJournal({ check, counts }: World, link: Link, journal: Journal): Journal {
  let sending = 0;
  return {
    send: async (batch) =>
      await link.watch(batch, async () => {
        sending += 1;
        check(sending === 1, "two records of one process are on their way");
        try {
          const answer = await journal.send(batch);
          if (answer.kind === "committed") counts.journaled += 1;
          return answer;
        } finally {
          sending -= 1;
        }
      }),
    async findSent(batch) {
      const found = await journal.findSent(batch);
      // Follows it to its end, because it may have failed when it was sent before.
      return found === undefined ? undefined : await link.watch(batch, async () => found);
    },
  };
}

type Ticking = Pick<SimNode, "isAlive" | "trouble"> & Pick<BooksClock, "wait">;

/** The clock of a process by which its books are written. */
function clockOf({ random, schedule }: World, { trouble, isAlive, wait }: Ticking): BooksClock {
  const running = new Set<unknown>();
  let ids = 0;
  return {
    elapsed: schedule.now,
    wait,
    setTimer(run, ms) {
      const timer = (ids += 1);
      running.add(timer);
      const ring = (): void => {
        if (!isAlive() || !running.has(timer)) return;
        const frozenMs = trouble.frozenUntil - schedule.now();
        if (frozenMs > 0) schedule.after(lookAgain(frozenMs) + random.between(0, 3), ring);
        else {
          running.delete(timer);
          run();
        }
      };
      schedule.after(ms, ring);
      return timer;
    },
    clearTimer: (timer) => void running.delete(timer),
  };
}
