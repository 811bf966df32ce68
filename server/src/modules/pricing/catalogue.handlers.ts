import { hasPrice, type PriceList } from "@tollgate/contract/money/charge.ts";
import { entryOf, readBook, sourceOf } from "@tollgate/contract/money/price-book.ts";
import * as contract from "@tollgate/contract/endpoints/price-catalogue.ts";
import type { RemoteStore } from "#db/store.ts";
import { type Handler, handle, withExtras } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { Catalogue } from "./catalogue/catalogue.ts";
import type { ReadCatalogue } from "./catalogue/open-catalogue.ts";
import { sellerOf } from "./catalogue/channel-providers.ts";
import { dayOf } from "./price-changes.ts";
import type { BookSave, pricingStore } from "./pricing.store.ts";

type CatalogueDeps = {
  readonly catalogue: ReadCatalogue;
  readonly store: RemoteStore<typeof pricingStore>;
  /** The version of the price list in force. */
  readonly prices: () => { readonly id: number; readonly list: PriceList };
  /** Resolves when the written changes are in effect on this node. */
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** Handles requests for the price book, and for prices from the catalogue. */
export function catalogueHandlers(deps: CatalogueDeps): Handler[] {
  const { store, prices, now } = deps;
  return [
    handle(contract.readCatalogue, async ({ keyword, provider }) => {
      const catalogue = await deps.catalogue();
      const isAsked = keyword.trim() !== "" || provider !== "";
      const max = isAsked ? contract.catalogueSearchMax : 0;
      return {
        ...catalogue.facts,
        providers: catalogue.providers.map(({ id, name }) => ({ id, name })),
        found: catalogue.search({ keyword, provider }, max, dayOf(now())),
      };
    }),

    handle(contract.readPriceBook, async () => {
      const { id, list } = prices();
      const models = [...Object.keys(list.ModelPrice), ...Object.keys(list.ModelRatio)];
      const rows = [...new Set(models)].toSorted().flatMap((model) => {
        const book = readBook(list, model);
        return book === undefined
          ? []
          : [{ model, prices: book, source: sourceOf(list, model) ?? null }];
      });
      return withExtras(rows, { version: id });
    }),

    handle(contract.proposePrices, async ({ channel_type, base_url, models, model_mapping }) => {
      const catalogue = await deps.catalogue();
      const channel = { type: channel_type, baseUrl: base_url };
      const day = dayOf(now());
      const { list } = prices();
      const free_allowed = sellerOf(channel_type, base_url).isLocal;
      const proposals = [...new Set(models)].map((model) => {
        const named = entryOf(model_mapping, model) ?? model;
        const match = catalogue.match(channel, named, day) ?? null;
        const nearest = match === null ? (catalogue.nearest(channel, named) ?? null) : null;
        return { model, priced: hasPrice(list, model), match, nearest, free_allowed };
      });
      return withExtras(proposals, { catalogue: catalogue.facts });
    }),

    handle(contract.applyPrices, async ({ entries, from }, caller) => {
      const catalogue = await deps.catalogue();
      const nowMs = now();
      const set = { from, date: dayOf(nowMs), by: caller.userId } as const;
      const books: BookSave[] = [];
      const unpriced: { model: string; reason: string }[] = [];
      for (const entry of entries) {
        const book = bookOf(entry, catalogue, set);
        if (book !== undefined) books.push(book);
        else unpriced.push({ model: entry.model, reason: notThere });
      }
      const saved = await store.savePriceBook({ books, actor: actorOf(caller), nowMs });
      await deps.applyChanges();
      const refused = new Set(saved.refused.map(({ model }) => model));
      return {
        applied: books.map(({ model }) => model).filter((model) => !refused.has(model)),
        unpriced: [...unpriced, ...saved.refused],
        version: saved.version,
      };
    }),
  ];
}

const notThere = "价格目录中没有该条目";

/** Undefined: the catalogue has no such entry. */
function bookOf(
  applied: contract.AppliedPrice,
  catalogue: Catalogue,
  set: BookSave["source"],
): BookSave | undefined {
  const { model } = applied;
  if ("free" in applied) return { model, prices: { tokens: { input: "0" } }, source: set };
  if ("prices" in applied) return { model, prices: applied.prices, source: set };
  const { provider, entry } = applied;
  const found = catalogue.find(provider, entry, set.date);
  if (found === undefined) return undefined;
  const { by } = set;
  const source = { from: "catalogue", date: found.date, provider, entry, by } as const;
  return { model, prices: found.prices, source };
}
