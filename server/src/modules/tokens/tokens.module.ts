/** Tokens: keys, limits, budgets, and when one was used. */

import { tokenKeyLength } from "@tollgate/contract/endpoints/tokens.ts";
import type { Groups } from "#modules/groups/groups.ts";
import type { ConfiguredKeys } from "#modules/configuration/configuration.ts";
import { defineModule, type Given } from "#modules/module.ts";
import type { TokenNotices } from "#modules/notifications/notifications.ts";
import { openConfiguredKeys } from "./configured-keys.ts";
import { openTokenUsage } from "./token-usage.ts";
import { openNewKeys } from "./new-keys.ts";
import { tokenHandlers } from "./tokens.handlers.ts";
import type { TokenStore } from "./tokens.store.ts";
import { keyColumns, openToken, type PlanKey, type Tokens } from "./tokens.ts";

type Needs = { readonly groups: Groups; readonly notifications: TokenNotices };

const saveUseMs = 60_000;

export const tokensModule = defineModule({
  needs: ["groups", "notifications"],
  open(ports: Given<TokenStore, Needs>) {
    const { store, options, random, clock, applyChanges, log, needs, secrets } = ports;
    const tellFrozen = needs.notifications.tokenFrozen;
    const usage = openTokenUsage(store, {
      applyChanges,
      columnsOf: (userId, key) => keyColumns(secrets, userId, key),
      now: clock.now,
      log,
      tellFrozen,
    });
    const made = {
      ...ports,
      readOption: options.read,
      isUsableGroup: needs.groups.isOpenTo,
      newKey: () => random.text(tokenKeyLength),
      now: clock.now,
    };
    const face: Tokens & { readonly configured: ConfiguredKeys; readonly planKey: PlanKey } = {
      configured: openConfiguredKeys({ ...ports, readOption: options.read }),
      planKey: openNewKeys(made),
      ...usage,
      async readSpending(tokenId) {
        const { remain_quota, used_quota } = await store.readToken(tokenId, null);
        return { remain: remain_quota, used: used_quota };
      },
    };
    return {
      handlers: tokenHandlers(made),
      jobs: [
        { name: "token-use", everyMs: saveUseMs, runs: "every-node", run: usage.saveUse },
      ] as const,
      snapshot: {
        hasMoreTokens: store.hasMoreTokens,
        loadTokens: store.loadTokens,
        loadTokensAfter: store.loadTokensAfter,
        findByLookup: store.findByLookup,
        openToken,
      },
      face,
    };
  },
});
