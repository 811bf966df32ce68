/** The unfolded rows as text in the address: ids separated by commas. */

/** The largest number of rows that an address keeps unfolded; the oldest fold first. */
const expandedMax = 20;

export function expandedIds(text: string): readonly string[] {
  return text === "" ? [] : text.split(",").map(decode);
}

export function toggleExpanded(text: string, id: string): string {
  const ids = expandedIds(text);
  const next = ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id];
  return next.slice(-expandedMax).map(encodeURIComponent).join(",");
}

/** An address can be edited by hand. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
