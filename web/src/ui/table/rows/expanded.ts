/** The unfolded rows of a list as text in the address: their ids, separated by commas. */

/**
 * The largest number of unfolded rows; unfolding another one folds the one that was unfolded first.
 */
const expandedMax = 20;

export function expandedIds(text: string): readonly string[] {
  return text === "" ? [] : text.split(",").map(decode);
}

export function toggleExpanded(text: string, id: string): string {
  const ids = expandedIds(text);
  const next = ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id];
  return next.slice(-expandedMax).map(encodeURIComponent).join(",");
}

/** Decodes an id; the text may be invalid, because users can edit an address. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
