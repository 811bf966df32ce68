/** Redemption codes, encrypted and found by a keyed hash. */

import { redemptionKeyLength } from "@tollgate/contract/endpoints/redemptions.ts";
import { defineModule, type Given } from "#modules/module.ts";
import { redemptionHandlers } from "./redemptions.handlers.ts";
import type { RedemptionStore } from "./redemptions.store.ts";

const batchIdLength = 12;

export const redemptionsModule = defineModule({
  needs: [],
  open: (ports: Given<RedemptionStore>) => {
    const { options, random, clock, snapshot } = ports;
    return {
      handlers: redemptionHandlers({
        ...ports,
        listGroups: () => Object.keys(snapshot.prices.list.GroupRatio),
        showQuota(quota) {
          if (!options.read("DisplayInCurrencyEnabled")) return String(quota);
          return `$${(quota / Number(snapshot.prices.list.QuotaPerUnit)).toFixed(2)}`;
        },
        newKey: () => random.text(redemptionKeyLength),
        newBatchId: () => random.text(batchIdLength),
        now: clock.now,
      }),
    };
  },
});
