/** Converts HTML, or Markdown with HTML in it, to plain text. */

/** Matches a tag and captures its name. An angle bracket inside an attribute also ends the tag. */
const tag = /<(\/?)([a-z][a-z0-9]*)\b[^<>]*>|<![^<>]*>/gi;

/** Elements whose content is not shown as text. */
const silent: ReadonlySet<string> = new Set(["script", "style", "title"]);

/** Tags that begin a new line. */
const breaking = /^(?:br|div|h[1-6]|hr|li|ol|p|pre|section|table|tr|ul)$/;

const named: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  gt: ">",
  lt: "<",
  nbsp: " ",
  quot: '"',
};

/**
 * Converts HTML or Markdown to plain text, in a single pass over any input.
 *
 * @param max characters; a longer text is cut and ends in `…`.
 */
export function plainText(source: string, max: number): string {
  const parts: string[] = [];
  let silence = "";
  let from = 0;
  for (const found of source.matchAll(tag)) {
    const [whole, slash = "", tagName = ""] = found;
    const name = tagName.toLowerCase();
    if (silence === "") parts.push(source.slice(from, found.index));
    from = found.index + whole.length;
    if (silence === "") {
      if (breaking.test(name)) parts.push("\n");
      if (slash === "" && silent.has(name)) silence = name;
    } else if (slash === "/" && name === silence) silence = "";
  }
  if (silence === "") parts.push(source.slice(from));
  const lines = withoutEntities(parts.join(""))
    .split(/\r?\n/)
    .map((line) => line.replaceAll(/[^\S\n]+/g, " ").trim());
  // Leaves at most one empty line between two lines.
  const text = lines.filter((line, at) => line !== "" || lines[at - 1] !== "").join("\n");
  return cut(text.trim(), max);
}

function withoutEntities(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return named[name.toLowerCase()] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      // Excludes control characters and lone surrogates, which no text may contain.
      const isText = code >= 32 && code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff);
      return isText ? String.fromCodePoint(code) : "";
    },
  );
}

function cut(text: string, max: number): string {
  // A character takes two code units at most: what is behind these is cut off in any case.
  const beginning = text.slice(0, 2 * max + 2);
  const characters = [...beginning];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join("")}…`;
}
