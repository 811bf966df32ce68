/** Compares the models of a channel with those that its upstream offers. */

import { brandOfModel } from "@tollgate/contract/words/brands.ts";

/** Compares names with their numbers in numerical order: model-2 before model-10. */
const { compare } = new Intl.Collator("en", { numeric: true });

export type ModelsDiff = {
  /** Models that the upstream has and the channel does not. */
  readonly fresh: readonly string[];
  /**
   * Models of the channel that the upstream does not have, neither by their own name nor by the
   * name that the model mapping gives them.
   */
  readonly gone: readonly string[];
  readonly keptCount: number;
};

/**
 * Compares the channel's models (`own`) with the upstream's. `mapping` is client's model → upstream
 * model.
 */
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
  /** The brand's name; null: of models whose brand is unknown. */
  readonly name: string | null;
  readonly models: readonly string[];
};

/** Groups models by brand, sorted by the brands' names; models of unknown brands come last. */
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

/** Applies the chosen additions and removals to the channel's models (`own`). */
export function applyDiff(
  own: readonly string[],
  added: ReadonlySet<string>,
  removed: ReadonlySet<string>,
): string[] {
  return [...new Set([...own.filter((model) => !removed.has(model)), ...added])];
}

/**
 * Splits typed model names, separated by commas or line breaks, into new ones (`fresh`) and those
 * that the channel has already (`known`).
 */
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
