/** What was brought here from other gateways: how far it is, and who can call here. */

import { defineModule, type Given } from "#modules/module.ts";
import { importHandlers } from "./import.handlers.ts";
import type { ImportStore } from "./imports.store.ts";

export const importModule = defineModule({
  needs: [],
  open: ({ store, clock, applyChanges }: Given<ImportStore>) => ({
    handlers: importHandlers({ store, applyChanges, now: clock.now }),
  }),
});
