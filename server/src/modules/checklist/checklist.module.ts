/** The steps of the start page: what root has still to do, how far a user is from a first call. */

import { defineModule, type Given } from "#modules/module.ts";
import type { SecondFactor } from "#modules/second-factor/second-factor.ts";
import { checklistHandlers } from "./checklist.handlers.ts";
import type { ChecklistStore } from "./checklist.store.ts";

type Needs = { readonly secondFactor: SecondFactor };

export const checklistModule = defineModule({
  needs: ["secondFactor"],
  open({ store, options, snapshot, program, clock, needs }: Given<ChecklistStore, Needs>) {
    return {
      handlers: checklistHandlers({
        store,
        program,
        readOption: options.read,
        prices: () => snapshot.prices.list,
        hasSecondFactor: async (userId) => await needs.secondFactor.isSetUp(userId),
        now: clock.now,
      }),
    };
  },
});
