/** The dated catalogue of prices, and how the models of a channel are found in it. */

import { brandOfModel } from "@tollgate/contract/words/brands.ts";
import type { BookPrices, TokenDollars } from "@tollgate/contract/money/price-book.ts";
import type {
  CatalogueFacts,
  CatalogueMatch,
} from "@tollgate/contract/endpoints/price-catalogue.ts";
import type { CatalogueEntry, CatalogueFile, CatalogueProvider } from "./catalogue-file.ts";
import { sellerOf } from "./channel-providers.ts";
import { formsOf, nearestOf } from "./names.ts";

/** A channel whose models are looked for; it need not be saved yet. */
type AskedChannel = { readonly type: number; readonly baseUrl: string };

export type Catalogue = {
  readonly facts: CatalogueFacts;
  readonly providers: readonly CatalogueProvider[];
  /** Finds an entry by its provider and its own name. */
  find(provider: string, entry: string, day: string): CatalogueMatch | undefined;
  /** Finds what a model costs at a channel. @param day as `YYYY-MM-DD`. */
  match(channel: AskedChannel, model: string, day: string): CatalogueMatch | undefined;
  /** Finds the entry whose name is the most similar to a model's; undefined: none is. */
  nearest(channel: AskedChannel, model: string): string | undefined;
  /** Finds entries whose names contain a text, at most `max`. */
  search(
    asked: { readonly keyword: string; readonly provider: string },
    max: number,
    day: string,
  ): CatalogueMatch[];
  /** Every entry, in the order of the file. */
  list(day: string): CatalogueMatch[];
};

/** Entries by their names, and these names in the order of their characters. */
type Index = {
  readonly byName: ReadonlyMap<string, CatalogueEntry>;
  readonly sorted: readonly string[];
};

type Shelf = Index & {
  readonly provider: CatalogueProvider;
  readonly entries: ReadonlyMap<string, CatalogueEntry>;
};

/** Vendors of models by the ids of their brands, where the catalogue calls them otherwise. */
const vendorOfBrand: Readonly<Record<string, string>> = {
  moonshot: "moonshotai",
  voyage: "voyageai",
  xai: "x-ai",
  zhipu: "zhipuai",
};

/** @param files those before replace entries of those behind. */
export function openCatalogue(files: readonly CatalogueFile[]): Catalogue {
  const shelves = fillShelves(files);
  const entries = [...shelves.values()].flatMap((shelf) => [...shelf.entries.values()]);
  const dates = new Map(files.flatMap((file) => file.entries.map((of) => [of, file.date])));
  const show = (of: CatalogueEntry, day: string, isExact: boolean): CatalogueMatch =>
    showEntry(of, { day, isExact, date: dates.get(of) ?? "", shelf: shelves.get(of.provider) });
  const everybody = indexOf(
    entries.flatMap((of) => of.names.map((name) => [formsOf(name).at(-1) ?? name, of] as const)),
  );
  return {
    facts: {
      // Most prices are of the last file; entries of a later day say it themselves.
      date: files.at(-1)?.date ?? "",
      source: files.map(({ source }) => source).join(" + "),
      entries: entries.length,
    },
    providers: [...shelves.values()].map(({ provider }) => provider),
    find(provider, entry, day) {
      const found = shelves.get(provider)?.entries.get(entry);
      return found === undefined ? undefined : show(found, day, true);
    },
    match({ type, baseUrl }, model, day) {
      const { provider, isLocal } = sellerOf(type, baseUrl);
      // What a local server offers has no price anywhere else.
      if (isLocal) return undefined;
      const found = findAt(shelves, provider ?? vendorOf(model), formsOf(model));
      return found === undefined ? undefined : show(found, day, provider !== null);
    },
    nearest: (channel, model) => nearestIn(shelves, everybody, channel, model),
    search({ keyword, provider }, max, day) {
      const wanted = keyword.trim().toLowerCase();
      const found: CatalogueMatch[] = [];
      for (const entry of entries) {
        if (found.length === max) break;
        if (provider !== "" && entry.provider !== provider) continue;
        const isNamed = entry.names.some((name) => name.includes(wanted));
        if (isNamed) found.push(show(entry, day, true));
      }
      return found;
    },
    list: (day) => entries.map((entry) => show(entry, day, true)),
  };
}

type Shelves = ReadonlyMap<string, Shelf>;

/** Returns the shelf of a provider, and then those of the vendors whose prices it asks. */
function sellersOf(shelves: Shelves, provider: string): Shelf[] {
  const own = shelves.get(provider);
  const ids = [provider, ...(own?.provider.vendors ?? [])];
  return ids.flatMap((id) => shelves.get(id) ?? []);
}

function findAt(
  shelves: Shelves,
  provider: string,
  forms: readonly string[],
): CatalogueEntry | undefined {
  for (const { byName } of sellersOf(shelves, provider)) {
    for (const form of forms) {
      const found = byName.get(form);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Returns the provider that makes a model; empty: nobody is known to. */
function vendorOf(model: string): string {
  const brand = brandOfModel(model)?.id ?? "";
  return vendorOfBrand[brand] ?? brand;
}

/** @param everybody all entries, for models that are similar to none of their own provider's. */
function nearestIn(
  shelves: Shelves,
  everybody: Index,
  { type, baseUrl }: AskedChannel,
  model: string,
): string | undefined {
  const { provider } = sellerOf(type, baseUrl);
  const sellers = [
    ...(provider === null ? [] : sellersOf(shelves, provider)),
    ...sellersOf(shelves, vendorOf(model)),
    everybody,
  ];
  const forms = formsOf(model);
  for (const { sorted, byName } of sellers) {
    const found = byName.get(nearestOf(sorted, forms) ?? "");
    if (found === undefined) continue;
    if (found.provider === provider) return found.entry;
    return `${found.entry} (${shelves.get(found.provider)?.provider.name ?? found.provider})`;
  }
  return undefined;
}

function fillShelves(files: readonly CatalogueFile[]): ReadonlyMap<string, Shelf> {
  const shelves = new Map<string, Shelf>();
  const providers = files.flatMap((file) => file.providers);
  for (const provider of providers) {
    if (shelves.has(provider.id)) continue;
    const entries = new Map<string, CatalogueEntry>();
    const own = files.flatMap((file) => file.entries.filter((of) => of.provider === provider.id));
    for (const entry of own) if (!entries.has(entry.entry)) entries.set(entry.entry, entry);
    const named = [...entries.values()].flatMap((of) =>
      of.names.map((name) => [name, of] as const),
    );
    shelves.set(provider.id, { provider, entries, ...indexOf(named) });
  }
  return shelves;
}

/** @param named of two entries with one name, the first counts. */
function indexOf(named: readonly (readonly [name: string, entry: CatalogueEntry])[]): Index {
  const byName = new Map(named.toReversed());
  return { byName, sorted: [...byName.keys()].toSorted() };
}

type Shown = {
  readonly day: string;
  readonly isExact: boolean;
  /** The day of the file. */
  readonly date: string;
  readonly shelf: Shelf | undefined;
};

function showEntry(of: CatalogueEntry, { day, isExact, date, shelf }: Shown): CatalogueMatch {
  const at = of.prices.findLastIndex(({ from = "" }) => from <= day);
  const { from: _, ...prices } = of.prices[Math.max(at, 0)] ?? {};
  const { name, context, output, reads, writes, tools, reasoning, deprecated } = of;
  const facts = { name, context, output, reads, writes, tools, reasoning, deprecated };
  return {
    provider: of.provider,
    provider_name: shelf?.provider.name ?? of.provider,
    entry: of.entry,
    date: of.date ?? date,
    source: of.source ?? shelf?.provider.source ?? "",
    exact: isExact,
    prices: complete(prices),
    facts: Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)),
    unbilled: of.unbilled ?? [],
    later: of.prices
      .slice(Math.max(at, 0) + 1)
      .flatMap(({ from, ...later }) =>
        from === undefined ? [] : [{ from, prices: complete(later) }],
      ),
  };
}

/**
 * Writes out what sources leave unsaid: kinds of tokens without a price of their own cost what the
 * kind costs that they belong to. An absent ratio says otherwise (`charge.ts`). Only writes to a
 * cache for an hour stay unsaid beside those for 5 minutes: nobody sells them at the same price.
 */
function complete(prices: BookPrices): BookPrices {
  const { tokens, steps, tiers, hours } = prices;
  if (tokens === undefined) return prices;
  return {
    ...prices,
    tokens: completeTokens(tokens),
    ...(steps && { steps: steps.map((of) => ({ ...of, tokens: completeTokens(of.tokens) })) }),
    ...(tiers && {
      tiers: Object.fromEntries(
        Object.entries(tiers).map(([tier, of]) => [tier, completeTokens(of)]),
      ),
    }),
    ...(hours && { hours: hours.map((of) => ({ ...of, tokens: completeTokens(of.tokens) })) }),
  };
}

function completeTokens(tokens: TokenDollars): TokenDollars {
  const { input = "", output = input } = tokens;
  // Of a free model nothing is left to say, and without a price of input nothing can be said.
  if (input === "" || Object.values(tokens).every((price) => Number(price) === 0)) {
    return tokens;
  }
  const { cacheWrite5m = input, inputAudio = input, outputAudio = output } = tokens;
  const cacheWrite1h = tokens.cacheWrite1h ?? (tokens.cacheWrite5m === undefined ? input : "");
  const all = { ...tokens, cacheWrite5m, inputAudio, outputAudio };
  return cacheWrite1h === "" ? all : { ...all, cacheWrite1h };
}
