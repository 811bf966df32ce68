/**
 * Watches for drift between balances and entries while the gateway runs. It compares each balance
 * with the head of its chain, and the head with the entry before it: one look-up a user, however
 * many entries there are. `tollgate audit` proves the whole chain.
 */

import type { Gauge } from "#base/gauge.ts";
import type { Logger } from "#base/logger.ts";
import type { Job } from "#jobs/job.ts";
import type { DriftPage } from "./drift.repo.ts";

/** How often all accounts are compared, in milliseconds. */
const driftEveryMs = 20_000;

type DriftStore = {
  readonly readBalanceDrift: (after: number) => Promise<DriftPage>;
  readonly readTokenDrift: (after: number) => Promise<DriftPage>;
};

type DriftDeps = {
  readonly store: DriftStore;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
  readonly log: Logger;
};

/** Makes a gauge that shows the drift in the metrics, and the job that measures it. */
export function openDriftWatch({ store, elapsed, log }: DriftDeps): {
  readonly job: Job;
  readonly gauges: readonly Gauge[];
} {
  let drift = 0;
  let readAtMs = elapsed();
  const sum = async (read: (after: number) => Promise<DriftPage>): Promise<number> => {
    let units = 0;
    for (let after: number | null = 0; after !== null;) {
      const page: DriftPage = await read(after);
      units += page.units;
      after = page.next;
    }
    return units;
  };
  return {
    job: {
      name: "ledger-drift",
      everyMs: driftEveryMs,
      runs: "every-node",
      async run() {
        const before = drift;
        drift = (await sum(store.readBalanceDrift)) + (await sum(store.readTokenDrift));
        readAtMs = elapsed();
        if (drift === before || drift === 0) return;
        log.error({ units: drift }, "balances and entries differ; run `tollgate audit`");
      },
    },
    gauges: [
      {
        name: "tollgate_ledger_drift_units",
        help: "Quota units by which balances differ from their entries; anything but 0 is a fault.",
        read: () => drift,
      },
      {
        name: "tollgate_ledger_drift_age_seconds",
        help: "Time since the drift was last read.",
        read: () => (elapsed() - readAtMs) / 1_000,
      },
    ],
  };
}
