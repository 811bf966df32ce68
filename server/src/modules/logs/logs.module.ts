import type { RemoteStore } from "#db/store.ts";
import { defineModule, type Given } from "#modules/module.ts";
import { tokenKeyKind } from "#modules/tokens/tokens.ts";
import { openCallList } from "./call-list.ts";
import { logHandlers } from "./logs.handlers.ts";
import type { logStore } from "./logs.store.ts";

export const logsModule = defineModule({
  needs: [],
  open: ({ store, secrets, clock, judgeKey }: Given<RemoteStore<typeof logStore>>) => ({
    handlers: logHandlers({
      store,
      judgeKey,
      lookupOf: (key) => secrets.lookup(tokenKeyKind, key),
      now: clock.now,
    }),
    face: openCallList(store, clock.now),
  }),
});
