/** Models shown before the user asks for the rest; the specification's number. */
export const modelsFolded = 10;

/** Models whose name contains the keyword; without one only the first few while they are folded. */
export function shownModels(
  names: readonly string[],
  { keyword, isUnfolded }: { readonly keyword: string; readonly isUnfolded: boolean },
): readonly string[] {
  const sought = keyword.trim().toLowerCase();
  if (sought !== "") return names.filter((name) => name.toLowerCase().includes(sought));
  return isUnfolded ? names : names.slice(0, modelsFolded);
}
