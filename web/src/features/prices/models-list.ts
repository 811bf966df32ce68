/**
 * The rows of the list of models, grouped by brand: models that have a price, and models that
 * channels offer.
 */

import { type Brand, brandOfModel } from "@tollgate/contract/words/brands.ts";
import { hasPrice, type PriceList } from "@tollgate/contract/money/charge.ts";
import { sourceOf } from "@tollgate/contract/money/price-book.ts";
import type { PriceSource } from "@tollgate/contract/money/price-sources.ts";
import type { ModelShow } from "./models.search.ts";
import { type PriceMaps, priceRows, pricesOf, type PriceRow, samePrices } from "./price-table.ts";

/** Compares names with their numbers in numerical order: model-2 before model-10. */
const { compare } = new Intl.Collator("en", { numeric: true });

export type ModelRow = PriceRow & {
  readonly kind: "model";
  readonly brand: Brand | null;
  /** Whether an enabled channel offers the model. */
  readonly isOffered: boolean;
  readonly isPriced: boolean;
  /** Whether the model's prices have a change that is not saved yet. */
  readonly isChanged: boolean;
  /** Where the price comes from; undefined: nobody noted it. */
  readonly source: PriceSource | undefined;
};

export type BrandRow = {
  readonly kind: "brand";
  readonly id: string;
  /** The brand of the models below; null: models whose brand is unknown. */
  readonly brand: Brand | null;
  readonly models: readonly ModelRow[];
  readonly isUnfolded: boolean;
};

export type ListRow = BrandRow | ModelRow;

/**
 * Returns the models by name. A model whose price was removed stays in the list until
 * the removal is saved.
 */
export function modelRows(from: {
  readonly maps: PriceMaps;
  readonly stored: PriceMaps;
  readonly offered: readonly string[];
  /** The price list in force, which says where prices come from; absent: it is not read yet. */
  readonly list?: PriceList | undefined;
}): ModelRow[] {
  const { maps, stored, offered, list } = from;
  const names = [...priceRows(maps), ...priceRows(stored)].map(({ model }) => model);
  const isOffered = new Set(offered);
  return [...new Set([...names, ...offered])].toSorted(compare).map((model) => {
    const prices = pricesOf(maps, model);
    return {
      kind: "model",
      model,
      prices,
      brand: brandOfModel(model),
      isOffered: isOffered.has(model),
      isPriced: hasPrice(maps, model),
      isChanged: !samePrices(prices, pricesOf(stored, model)),
      source: list && sourceOf(list, model),
    };
  });
}

export function isShown(row: ModelRow, show: ModelShow): boolean {
  switch (show) {
    case "all":
      return true;
    case "offered":
      return row.isOffered;
    case "unpriced":
      return row.isOffered && !row.isPriced;
    case "changed":
      return row.isChanged;
  }
}

/** Whether the model's name or its brand's contains the keyword. */
export function isFound({ model, brand }: ModelRow, keyword: string): boolean {
  const wanted = keyword.trim().toLowerCase();
  return `${model}\n${brand?.name ?? ""}`.toLowerCase().includes(wanted);
}

const otherId = "other";

/**
 * Groups the rows by brand: first brands with models that channels offer, last the models of
 * unknown brands.
 */
export function byBrand(rows: readonly ModelRow[], isUnfolded: (id: string) => boolean): ListRow[] {
  const groups = Map.groupBy(rows, ({ brand }) => brand?.id ?? otherId);
  const brands = [...groups].map(([id, models]): BrandRow => {
    return {
      kind: "brand",
      id,
      brand: models[0]?.brand ?? null,
      models,
      isUnfolded: isUnfolded(id),
    };
  });
  const place = ({ brand, models }: BrandRow): number =>
    brand === null ? 2 : models.some(({ isOffered }) => isOffered) ? 0 : 1;
  const sorted = brands.toSorted(
    (a, b) => place(a) - place(b) || (a.brand?.name ?? "").localeCompare(b.brand?.name ?? "", "en"),
  );
  return sorted.flatMap((brand): ListRow[] =>
    brand.isUnfolded ? [brand, ...brand.models] : [brand],
  );
}

/** Returns the row's id. The prefix keeps a brand apart from a model of the same name. */
export function listRowId(row: ListRow): string {
  return row.kind === "brand" ? `brand ${row.id}` : row.model;
}

/**
 * Returns the models that the rows stand for, each once; a brand's row stands for all its models.
 */
export function modelsOf(rows: readonly ListRow[]): ModelRow[] {
  const all = rows.flatMap((row) => (row.kind === "brand" ? row.models : [row]));
  return [...new Map(all.map((row) => [row.model, row])).values()];
}
