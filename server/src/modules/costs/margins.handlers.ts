import { dashboardDaysMax } from "@tollgate/contract/endpoints/dashboard.ts";
import * as contract from "@tollgate/contract/endpoints/margins.ts";
import { readPageWindow } from "@tollgate/contract/endpoints/page.ts";
import { unixSeconds } from "#base/clock.ts";
import type { RemoteStore } from "#db/store.ts";
import { type Handler, handle, withExtras } from "#http/handler.ts";
import { readSpan, requireSpan, type SentSpan } from "#modules/dashboard/dashboard.ts";
import type { costStore } from "./costs.store.ts";
import type { MarginFilter } from "./margins.repo.ts";

type MarginDeps = {
  readonly store: RemoteStore<typeof costStore>;
  /** The value in force of option `TimeZone`. */
  readonly zone: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
};

type MarginQuery = SentSpan & {
  readonly model_name: string;
  readonly group: string;
  readonly username: string;
  readonly channel?: number | undefined;
  readonly below: boolean;
};

/** Handles root's requests for what calls earn. */
export function marginHandlers({ store, zone, now }: MarginDeps): Handler[] {
  const filterOf = (sent: MarginQuery): MarginFilter => {
    const span = readSpan(sent, { zone: zone(), now: unixSeconds(now()) });
    requireSpan(span, dashboardDaysMax);
    return {
      ...span,
      modelName: sent.model_name,
      group: sent.group,
      username: sent.username,
      channel: Math.max(0, sent.channel ?? 0),
      below: sent.below,
    };
  };
  return [
    handle(contract.listMargins, async (sent) => {
      const window = readPageWindow(sent);
      const { totals, ...found } = await store.pageMargins(sent.by, filterOf(sent), window);
      return withExtras({ ...found, ...window, items: [...found.items] }, { totals });
    }),
    handle(contract.listLosses, async (sent) => {
      const window = readPageWindow(sent);
      return { ...(await store.pageLosses(filterOf(sent), window)), ...window };
    }),
    handle(contract.readCallCost, async ({ id }) => await store.findCallCost(id)),
  ];
}
