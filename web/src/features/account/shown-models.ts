/** Models in sight before the rest is asked for; the specification's. */
export const modelsFolded = 10;

/** Those whose name holds the keyword; of all only the first few while they are folded. */
export function shownModels(
  names: readonly string[],
  { keyword, isUnfolded }: { readonly keyword: string; readonly isUnfolded: boolean },
): readonly string[] {
  const sought = keyword.trim().toLowerCase();
  if (sought !== "") return names.filter((name) => name.toLowerCase().includes(sought));
  return isUnfolded ? names : names.slice(0, modelsFolded);
}
