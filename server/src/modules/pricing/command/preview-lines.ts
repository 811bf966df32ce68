/** What `tollgate prices diff --preview` prints: past calls, charged again by the prices of a file. */

import type { PriceList } from "@tollgate/contract/money/charge.ts";
import {
  type KeptReason,
  type PreviewDays,
  type PreviewSums,
} from "@tollgate/contract/endpoints/price-previews.ts";
import type { Db } from "#db/database.ts";
import { bindStore } from "#db/store.ts";
import { beginPreview } from "#modules/pricing/preview/preview.repo.ts";
import { chargeAll, previewSpan } from "#modules/pricing/preview/previews.ts";
import { pricingStore } from "#modules/pricing/pricing.store.ts";

type Trial = { readonly list: PriceList; readonly days: PreviewDays };
type Deps = { readonly print: (line: string) => void; readonly nowMs: number };

/** How many models are printed. */
const modelsMax = 20;

/** Charges the calls of the last days again, and prints sums in quota units. */
export async function showPreview(db: Db, { list, days }: Trial, deps: Deps): Promise<void> {
  const { print, nowMs } = deps;
  const tried = { kind: "list", list } as const;
  const span = previewSpan(days, nowMs);
  const asked = { name: "command", tried, by: 0, nowMs, ...span };
  const { plan } = await beginPreview(db, asked);
  const store = bindStore(pricingStore, db);
  const result = await chargeAll(store, plan, { state: "running", done: 0 });
  if (result === null) return;
  const { totals, models, groups, most, kept } = result;
  const shown = models.items.filter(({ before, after }) => before !== after);
  for (const { name, ...sums } of shown.slice(0, modelsMax)) {
    print(`model ${name}: ${lineOf(sums)}`);
  }
  for (const { name, ...sums } of groups.items) print(`group ${name}: ${lineOf(sums)}`);
  for (const { id, name, ...sums } of most) {
    print(`pays more: ${name === "" ? `user ${id}` : name}: ${lineOf(sums)}`);
  }
  for (const { reason, calls, quota } of kept) {
    print(`${calls} calls keep their charge of ${quota}: ${reasons[reason]}`);
  }
  if (totals.costed_calls > 0) {
    const { cost, costed_before, costed_after, costed_calls } = totals;
    const margins = `${costed_before - cost} → ${costed_after - cost}`;
    print(`margin of ${costed_calls} calls whose cost is known: ${margins}`);
  }
  print(`last ${days} days: ${lineOf(totals)}`);
}

function lineOf({ calls, before, after }: PreviewSums): string {
  const difference = after - before;
  return `${calls} calls, ${before} → ${after} (${difference > 0 ? "+" : ""}${difference})`;
}

const reasons = {
  counts: "their counts or prices are not known",
  kind: "a price by call takes the place of one by tokens, or the other way round",
  price: "their model has no price any more, or their group no ratio",
  refunded: "a part was refunded",
} as const satisfies Record<KeptReason, string>;
