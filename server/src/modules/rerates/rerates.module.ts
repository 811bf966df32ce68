/** Re-rates: past calls that are charged again by the prices of a saved version, if root asks. */

import { defineModule, type Given } from "#modules/module.ts";
import { type ReadPreview, rerateHandlers } from "./rerates.handlers.ts";
import type { RerateStore } from "./rerates.store.ts";
import { openRerateWork, type PlanCharges } from "./work-on-rerate.ts";

/** How often it is looked whether a re-rate goes on, in milliseconds. */
const lookMs = 500;

const nodeLength = 16;

/** How many log rows one step looks at: some 30 ms of the writer. */
const stepRows = 200;

type Needs = {
  readonly pricing: { readonly planCharges: PlanCharges; readonly readPreview: ReadPreview };
};

export const reratesModule = defineModule({
  needs: ["pricing"],
  open: ({ store, needs, money, clock, random }: Given<RerateStore, Needs>) => {
    const { planCharges, readPreview } = needs.pricing;
    const node = random.text(nodeLength);
    const run = openRerateWork({
      store,
      planCharges,
      money,
      node,
      rows: stepRows,
      ...clock,
      wait: Bun.sleep,
    });
    return {
      handlers: rerateHandlers({ store, readPreview, now: clock.now }),
      jobs: [{ name: "rerates", everyMs: lookMs, runs: "once-in-all-nodes" as const, run }],
    };
  },
});
