/** Saved views of lists. */

import { defineModule, type Given } from "#modules/module.ts";
import { viewHandlers } from "./views.handlers.ts";
import type { ViewStore } from "./views.store.ts";

export const viewsModule = defineModule({
  needs: [],
  open: ({ store }: Given<ViewStore>) => ({ handlers: viewHandlers(store) }),
});
