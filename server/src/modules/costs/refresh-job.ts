/**
 * Makes new versions of cost lists that follow the catalogue: when it has changed, when a channel has
 * other models, and when a dollar has become another number of quota units.
 */

import type { PriceList } from "@tollgate/contract/money/charge.ts";
import type { RemoteStore } from "#db/store.ts";
import type { Job } from "#jobs/job.ts";
import { systemActor } from "#modules/audit/audit.ts";
import type { costStore } from "./costs.store.ts";
import { parseCosts } from "./costs.ts";
import { dayOf, findListed, notListed, type ReadCatalogue } from "./listed-costs.ts";
import { makeCosts } from "./cost-list.ts";

type RefreshDeps = {
  readonly store: RemoteStore<typeof costStore>;
  readonly catalogue: ReadCatalogue;
  readonly prices: () => PriceList;
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

const everyMs = 30_000;

/** Two nodes that run it at once write the same, and what says nothing new is not written. */
export function refreshJob(deps: RefreshDeps): Job {
  const run = async () => await refreshCosts(deps);
  return { name: "cost-lists", everyMs, runs: "once-in-all-nodes", run };
}

export async function refreshCosts(deps: RefreshDeps): Promise<void> {
  const { store, catalogue, prices, now } = deps;
  const quotaPerUnit = prices().QuotaPerUnit;
  let isChanged = false;
  for (const { channel, version } of await store.listCosted()) {
    const content = parseCosts(version);
    if (content === undefined) continue;
    const { factor, typed, list } = content;
    if (factor === null && list.QuotaPerUnit === quotaPerUnit) continue;
    const nowMs = now();
    const listed = factor === null ? notListed : await findListed(catalogue, channel, dayOf(nowMs));
    const said = { factor, typed, ...listed };
    const made = makeCosts(said, quotaPerUnit);
    if (!made.ok || JSON.stringify(made.value) === version.content) continue;
    const save = { channelId: channel.id, said, quotaPerUnit, actor: systemActor, nowMs };
    await store.saveCosts(save);
    isChanged = true;
  }
  if (isChanged) await deps.applyChanges();
}
