/**
 * The tags of calls: short texts by which whoever calls tells jobs, customers or features apart. They
 * come from the body's `metadata`, from header fields, and from the API key.
 */

/** The most tags of a call; further ones are left out. */
export const tagsMax = 8;

/** The longest tag, in characters; a longer one is left out. */
export const tagLengthMax = 64;

/** The most different tags of a user's calls of one UTC day; further ones become `otherTag`. */
export const tagValuesMax = 1_000;

/** What tags beyond `tagValuesMax` are counted as. */
export const otherTag = "other";

/** What the names of header fields with a tag begin with; the rest is the tag's name. */
export const tagHeader = "x-tollgate-tag-";

/**
 * Makes a tag of a name and its value, as `job:batch`. A name alone, or one that is just true, is
 * the tag itself, as `batch`. Empty: it is none.
 */
export function tagOf(name: string, value: string): string {
  const isAlone = value === "" || value === "true";
  const tag = plainTag(isAlone ? name : `${name}:${value}`);
  return name.trim() === "" ? "" : tag;
}

/** Brings a text to the form of a tag; empty: it is none. */
export function plainTag(text: string): string {
  const tag = text.trim();
  return tag.length > tagLengthMax || hasControl(tag) || !tag.isWellFormed() ? "" : tag;
}

/** Neither a line of a list nor a database could hold these. */
function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

/** Reads tags that are stored in one text, one a line; `""`: none. */
export function tagLines(text: string): readonly string[] {
  return text === "" ? [] : text.split("\n");
}
