/** Charges a past call again, by other prices: from its stored counts and by the one formula. */

import {
  charge,
  type ChargedUsage,
  chargedUsage,
  type PriceList,
  type UnitPrice,
  unitPrice,
} from "@tollgate/contract/money/charge.ts";
import type { KeptReason } from "@tollgate/contract/endpoints/price-previews.ts";
import { minuteOf } from "@tollgate/contract/money/price-terms.ts";

/** What a charged call's row says of its charge. */
type ChargedRow = {
  readonly created_at: number;
  readonly use_time: number;
  readonly model_name: string;
  readonly group: string;
  readonly quota: number;
  readonly write_off: number;
  readonly refunded: number;
  /** What re-rates have added to the charge. */
  readonly rerated: number;
  /** JSON. */
  readonly usage: string;
};

/** `charged` is what the call would have been charged, after refunds; `kept`: why it stays. */
type ChargedAgain = { readonly charged: number; readonly kept: KeptReason | null };

/** The prices of one list, resolved once for each model and group. */
export type Resolved = (model: string, group: string) => UnitPrice | undefined;

/** The most prices that are remembered of a list. */
const resolvedMax = 10_000;

/** Remembers the prices of a list. */
export function resolvePrices(list: PriceList): Resolved {
  const known = new Map<string, Map<string, UnitPrice | undefined>>();
  let size = 0;
  return (model, group) => {
    const ofGroup = known.get(group) ?? new Map<string, UnitPrice | undefined>();
    if (ofGroup.has(model)) return ofGroup.get(model);
    const price = unitPrice(list, model, group);
    if (size >= resolvedMax) {
      known.clear();
      ofGroup.clear();
      size = 0;
    }
    size += 1;
    ofGroup.set(model, price);
    known.set(group, ofGroup);
    return price;
  };
}

/** Returns what is left of a call's charge. */
export function netOf({ quota, refunded, rerated }: ChargedRow): number {
  return quota - refunded + rerated;
}

/**
 * Charges a call again.
 *
 * @param before the prices by which it was charged; undefined: they are not known.
 * @param after the prices to charge it by.
 */
export function chargeAgain(
  row: ChargedRow,
  before: UnitPrice | undefined,
  after: UnitPrice | undefined,
): ChargedAgain {
  const net = netOf(row);
  const keep = (kept: KeptReason): ChargedAgain => ({ charged: net, kept });
  if (row.refunded > 0) return keep("refunded");
  if (after === undefined) return keep("price");
  const usage = countsOf(row.usage);
  if (usage === undefined || before === undefined) return keep("counts");
  // What a call by tokens was counted says nothing of a price by call, and the other way round.
  if (before.kind !== after.kind) return keep("kind");
  return { charged: due(row, charge(after, atMinute(usage, row, after))), kept: null };
}

/**
 * What was written off stays written off: it is what the call cost beyond what its user had. A lower
 * price lowers that part first.
 */
function due({ quota, write_off }: ChargedRow, price: number): number {
  return price > quota + write_off ? price - write_off : Math.min(quota, price);
}

/** The minute is stored where the price had hours; elsewhere it follows from the call's times. */
function atMinute(usage: ChargedUsage, row: ChargedRow, price: UnitPrice): ChargedUsage {
  if (usage.minute !== undefined || price.kind === "call" || price.hours === undefined) {
    return usage;
  }
  return { ...usage, minute: minuteOf((row.created_at - row.use_time) * 1_000) };
}

function countsOf(text: string): ChargedUsage | undefined {
  try {
    return chargedUsage.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
