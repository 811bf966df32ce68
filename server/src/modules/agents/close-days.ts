/** Computes the dividends of all days that are over, a day after the other. */

import type { AgentStore } from "./agents.store.ts";

/** What a run did. */
export type DividendRun = {
  readonly days: number;
  readonly dividends: number;
  /** The sum of the dividends, in quota units. */
  readonly quota: number;
};

type CloseDeps = {
  readonly store: AgentStore;
  readonly enabled: () => boolean;
  /** The rate of agents without one of their own, in hundredths of a per cent. */
  readonly rateBp: () => number;
  /** Returns a text that names a run. */
  readonly newRun: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
};

const dayMs = 86_400_000;

/** How long after its end a day is closed, so that all of its settlements are stored. */
const marginMs = 15 * 60_000;

/** The largest number of days that one run closes. */
const daysMax = 400;

/** Makes the function that closes all open days; it answers undefined if another run has one. */
export function openCloseDays(deps: CloseDeps): () => Promise<DividendRun | undefined> {
  const { store, now } = deps;
  return async () => {
    const done = { days: 0, dividends: 0, quota: 0 };
    while (done.days < daysMax) {
      const day = await store.findOpenDay(Math.floor((now() - marginMs) / dayMs));
      if (day === undefined) return done;
      const by = deps.newRun();
      if (!(await store.claimDay({ day, by, nowMs: now() }))) return undefined;
      for (let after: number | null = 0; after !== null;) {
        const rates = { rateBp: deps.rateBp(), enabled: deps.enabled() };
        const page = await store.payDividends({ day, by, nowMs: now(), after, ...rates });
        if (page === undefined) return undefined;
        done.dividends += page.dividends;
        done.quota += page.quota;
        after = page.last;
      }
      done.days += 1;
    }
    return done;
  };
}
