/** Which channel has issued what clients send back, and to whom, for 30 days, as keyed hashes. */

import { dayOf, unixSeconds } from "#base/clock.ts";
import type { RemoteStore } from "#db/store.ts";
import type { IssuedTable } from "#db/tables/issued.ts";
import { defineModule, type Given } from "#modules/module.ts";
import { openIssuedQueue } from "./issued-queue.ts";
import type { Issuer, Issuers, Noted } from "./issuers.ts";
import type { issuerStore } from "./issuers.store.ts";

/** What separates these keyed hashes from those of other purposes. */
const issuedKind = "issued";
const keyKind = "issuing-key";

/** Length of a key's mark, in hex digits: enough to tell the keys of one channel apart. */
const keyMarkLength = 16;

/** For how many days rows are kept: as long as OpenAI keeps responses (read on 2026-11-23). */
const keptDays = 30;

/** The largest number of rows; beyond it the oldest days go first, but never the present one. */
const rowsMax = 3_000_000;

/** How often old rows are removed, in milliseconds, and how many one transaction removes. */
const cleaningMs = 3_600_000;
const removedAtOnce = 500;

/** The largest number of texts that one question is for. */
const foundAtOnce = 1_000;

/** How many of the last notes are also in memory, where the next request finds them at once. */
const rememberedMax = 10_000;

export const issuersModule = defineModule({
  needs: [],
  open({ store, secrets, clock, log }: Given<RemoteStore<typeof issuerStore>>) {
    const today = (): number => dayOf(unixSeconds(clock.now()));
    const markOf = (key: string): string => secrets.lookup(keyKind, key).slice(0, keyMarkLength);
    const markOfText = (text: string): string => secrets.lookup(issuedKind, text);
    const issuerBy = ({ channelId, key, userId }: Noted): Issuer => ({
      userId,
      channelId,
      keyMark: markOf(key),
    });
    const remembered = openRemembered();
    const queue = openIssuedQueue(store, log);
    const face: Issuers = {
      markOf,
      async find(text) {
        const mark = markOfText(text);
        const known = remembered.find(mark);
        if (known !== undefined) return known;
        const row = await store.findIssued(mark);
        if (row === null) return undefined;
        const issuer = issuerOf(row);
        remembered.add(mark, issuer);
        return issuer;
      },
      async findAll(texts) {
        const found = new Map<string, Issuer>();
        const asked = new Map<string, string>();
        for (const text of texts.slice(0, foundAtOnce)) {
          const mark = markOfText(text);
          const known = remembered.find(mark);
          if (known === undefined) asked.set(mark, text);
          else found.set(text, known);
        }
        if (asked.size === 0) return found;
        for (const row of await store.findAllIssued([...asked.keys()])) {
          const issuer = issuerOf(row);
          remembered.add(row.mark, issuer);
          found.set(asked.get(row.mark) ?? "", issuer);
        }
        return found;
      },
      note(texts, noted) {
        const issuer = issuerBy(noted);
        const ids = { user_id: issuer.userId, channel_id: issuer.channelId };
        for (const mark of remembered.addNew(texts.map(markOfText), issuer)) {
          queue.add({ mark, ...ids, key_mark: issuer.keyMark, day: today() });
        }
      },
      give(texts, noted) {
        const issuer = issuerBy(noted);
        const marks = remembered.addNew(texts.map(markOfText), issuer);
        return marks.length === 0 ? null : { marks, keyMark: issuer.keyMark };
      },
      drained: queue.drained,
    };

    return {
      jobs: [cleaningJob(store, today)],
      metrics: [
        {
          name: "tollgate_issuers_dropped",
          help: "Notes of which channel began a conversation that this node could not store.",
          read: queue.dropped,
        },
      ],
      face,
    };
  },
});

function cleaningJob(
  store: Pick<RemoteStore<typeof issuerStore>, "readDays" | "removeIssued">,
  today: () => number,
) {
  return {
    name: "clean-issuers",
    everyMs: cleaningMs,
    // Each node may clean: what one has removed, the others do not find any more.
    runs: "every-node" as const,
    async run() {
      const before = firstKept(await store.readDays(), today());
      for (;;) {
        if ((await store.removeIssued(before, removedAtOnce)) < removedAtOnce) return;
      }
    },
  };
}

function issuerOf(row: Omit<IssuedTable, "day" | "mark">): Issuer {
  return { userId: row.user_id, channelId: row.channel_id, keyMark: row.key_mark };
}

/** Returns the first day whose rows stay, by their age and by their number. */
function firstKept(
  days: readonly { readonly day: number; readonly count: number }[],
  today: number,
): number {
  let left = rowsMax;
  for (const { day, count } of days.toReversed()) {
    left -= count;
    if (left < 0) return Math.max(Math.min(day + 1, today), today - keptDays);
  }
  return today - keptDays;
}

/** The last notes, in memory. */
function openRemembered() {
  const issuers = new Map<string, Issuer>();
  function add(mark: string, issuer: Issuer): void {
    issuers.set(mark, issuer);
    if (issuers.size <= rememberedMax) return;
    const [oldest] = issuers.keys();
    if (oldest !== undefined) issuers.delete(oldest);
  }

  return {
    find: (mark: string): Issuer | undefined => issuers.get(mark),
    add,
    /** Adds those that are not there, and returns them. */
    addNew(marks: readonly string[], issuer: Issuer): readonly string[] {
      const fresh = [...new Set(marks)].filter((mark) => !issuers.has(mark));
      for (const mark of fresh) add(mark, issuer);
      return fresh;
    },
  };
}
