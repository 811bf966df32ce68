/** How many models are shown before the user asks for all; the specification sets the number. */
export const modelsFolded = 10;

/**
 * Chooses the models to show: with a keyword those whose name contains it, otherwise all, or only
 * the first few while the list is folded.
 */
export function shownModels(
  names: readonly string[],
  { keyword, isUnfolded }: { readonly keyword: string; readonly isUnfolded: boolean },
): readonly string[] {
  const sought = keyword.trim().toLowerCase();
  if (sought !== "") return names.filter((name) => name.toLowerCase().includes(sought));
  return isUnfolded ? names : names.slice(0, modelsFolded);
}
