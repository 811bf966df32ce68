import { type PriceList, priceList } from "@tollgate/contract/charge.ts";
import { isOptionName, isPriceOption, parseOption } from "@tollgate/contract/options.ts";
import { readPageWindow } from "@tollgate/contract/page.ts";
import * as contract from "@tollgate/contract/price-versions.ts";
import { Refusal } from "#base/refusal.ts";
import type { RemoteStore } from "#db/store.ts";
import { type Handler, handle } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { pricingStore } from "./pricing.store.ts";

type VersionDeps = {
  readonly store: Pick<
    RemoteStore<typeof pricingStore>,
    "diffVersions" | "pageVersions" | "rollBackPrices" | "savePrices"
  >;
  /** Resolves when the written changes are in effect on this node. */
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** Handles the requests of the console API for the versions of the price list. */
export function priceVersionHandlers({ store, applyChanges, now }: VersionDeps): Handler[] {
  return [
    handle(contract.listPriceVersions, async (input) => {
      return await store.pageVersions(readPageWindow(input));
    }),

    handle(contract.diffPriceVersions, async ({ from, to }) => {
      return await store.diffVersions({ from, to });
    }),

    handle(contract.rollBackPrices, async ({ id, reason }, caller) => {
      await store.rollBackPrices({ id, reason, actor: actorOf(caller), nowMs: now() });
      await applyChanges();
    }),

    handle(contract.savePriceOptions, async ({ options, reason }, caller) => {
      const parts = partsOf(options);
      await store.savePrices({ parts, reason, actor: actorOf(caller), nowMs: now() });
      await applyChanges();
    }),
  ];
}

/** @throws Refusal `invalid-input` for a name that is no price option, or a text that is invalid. */
function partsOf(texts: Readonly<Record<string, string>>): Partial<PriceList> {
  const parsed = Object.entries(texts).map(([key, text]) => {
    if (!isOptionName(key) || !isPriceOption(key)) {
      throw new Refusal("invalid-input", `未知的选项：${key}`);
    }
    const value = parseOption(key, text);
    if (!value.ok) throw new Refusal("invalid-input", value.message);
    return [key, value.value];
  });
  // Safe cast: the schema has just read each part, and parts without a value were not sent.
  return priceList.partial().parse(Object.fromEntries(parsed)) as Partial<PriceList>;
}
