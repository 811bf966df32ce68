/** Differences between the upstream's models and the channel's. */

import { brandOfModel } from "@tollgate/contract/brands.ts";

/** Sorts as people do: model-2 before model-10. */
const { compare } = new Intl.Collator("en", { numeric: true });

export type ModelsDiff = {
  /** Models that the upstream has and the channel does not. */
  readonly fresh: readonly string[];
  /**
   * Models of the channel for which the upstream has neither the name nor the name they are mapped
   * to.
   */
  readonly gone: readonly string[];
  readonly keptCount: number;
};

/** `mapping`: client's model → upstream model. */
export function diffModels(
  own: readonly string[],
  upstream: readonly string[],
  mapping: Readonly<Record<string, string>>,
): ModelsDiff {
  const has = new Set(own);
  const there = new Set(upstream);
  const gone = own.filter((model) => !there.has(mapping[model] ?? model));
  return {
    fresh: [...there].filter((model) => !has.has(model)).toSorted(compare),
    gone: gone.toSorted(compare),
    keptCount: own.length - gone.length,
  };
}

type BrandModels = {
  /** Null: the maker is unknown. */
  readonly name: string | null;
  readonly models: readonly string[];
};

/** Models by who makes them, in the order of the brands' names; the unknown ones are last. */
export function byBrand(models: readonly string[]): readonly BrandModels[] {
  const groups = Map.groupBy(models, (model) => brandOfModel(model)?.name ?? null);
  return [...groups]
    .map(([name, own]) => ({ name, models: own }))
    .toSorted((a, b) =>
      a.name === null || b.name === null
        ? Number(a.name === null) - Number(b.name === null)
        : compare(a.name, b.name),
    );
}

/** `own` after the chosen differences are applied. */
export function applyDiff(
  own: readonly string[],
  added: ReadonlySet<string>,
  removed: ReadonlySet<string>,
): string[] {
  return [...new Set([...own.filter((model) => !removed.has(model)), ...added])];
}

/** Names typed by hand, separated by commas or lines; `known`: those that are there already. */
export function readCustomModels(
  text: string,
  own: readonly string[],
): { readonly fresh: readonly string[]; readonly known: readonly string[] } {
  const names = [...new Set(text.split(/[,，\n]/).map((name) => name.trim()))];
  const typed = names.filter((name) => name !== "");
  const has = new Set(own);
  return {
    fresh: typed.filter((name) => !has.has(name)),
    known: typed.filter((name) => has.has(name)),
  };
}
