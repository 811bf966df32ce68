/** Invitations: the rewards of both users, rebates on top-ups, and earnings turned into balance. */

import { defineModule, type Given } from "#modules/module.ts";
import { affiliateHandlers } from "./affiliates.handlers.ts";
import type { AffiliateStore } from "./affiliates.store.ts";

export const affiliatesModule = defineModule({
  needs: [],
  open: ({ store, money, snapshot, clock }: Given<AffiliateStore>) => ({
    handlers: affiliateHandlers({
      store,
      money,
      quotaPerUnit: () => snapshot.prices.list.QuotaPerUnit,
      now: clock.now,
    }),
  }),
});
