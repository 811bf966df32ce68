/** The audit log, chained by hash. */

import type { RemoteStore } from "#db/store.ts";
import { defineModule, type Given } from "#modules/module.ts";
import { auditHandlers } from "./audit.handlers.ts";
import type { auditStore } from "./audit.store.ts";

export const auditModule = defineModule({
  needs: [],
  open: ({ store }: Given<RemoteStore<typeof auditStore>>) => ({
    handlers: auditHandlers({ store }),
  }),
});
