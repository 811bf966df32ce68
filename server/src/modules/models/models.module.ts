/** Which models a user may use. */

import type { RemoteStore } from "#db/store.ts";
import { offerSources } from "#modules/groups/groups.ts";
import { defineModule, type Given } from "#modules/module.ts";
import { modelHandlers } from "./models.handlers.ts";
import type { modelStore } from "./models.store.ts";

export const modelsModule = defineModule({
  needs: [],
  open: ({ store, options, snapshot }: Given<RemoteStore<typeof modelStore>>) => ({
    handlers: modelHandlers({ ...offerSources({ options, snapshot }), store }),
  }),
});
