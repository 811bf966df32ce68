/** Differences between the upstream's models and the channel's. */

export type ModelsDiff = {
  /** The upstream has them, the channel does not. */
  readonly fresh: readonly string[];
  /** The channel has them; the upstream has neither them nor the names they are mapped to. */
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
    fresh: [...there].filter((model) => !has.has(model)).toSorted(),
    gone,
    keptCount: own.length - gone.length,
  };
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
