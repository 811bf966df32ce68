/**
 * Finds the line of each key of a YAML or JSON text, so that a fault can name it. It reads as much
 * of YAML as that needs: block maps and lists, flow maps and lists, texts in quotes, block texts.
 * Where it does not understand a line, the keys in it have the line of what is around them.
 */

/** A key, or an entry of a list, and what is in it. */
type Node = { readonly line: number; readonly children: Map<string, Node> };

export type LineIndex = {
  /** Returns the line of the innermost part of a path that was found, from 1 on. */
  lineOf(path: readonly string[]): number;
  /** Returns how many parts of a path were found. */
  depthOf(path: readonly string[]): number;
  /** Keys that stand twice in one map, of which a reader would drop the first. */
  readonly repeated: readonly { readonly key: string; readonly line: number }[];
};

/** How deep keys may be in one another; what is deeper has the line of what is around it. */
const depthMax = 64;

export function indexLines(text: string): LineIndex {
  const root: Node = { line: 1, children: new Map() };
  const repeated: { key: string; line: number }[] = [];
  const scan = { text, starts: lineStarts(text), repeated };
  if (/^\s*[[{]/.test(text)) readFlow(scan, root, 0, 0);
  else readBlock(scan, root);
  return {
    repeated,
    lineOf: (path) => find(root, path).node.line,
    depthOf: (path) => find(root, path).depth,
  };
}

/** Finds the innermost part of a path that is there. */
function find(root: Node, path: readonly string[]) {
  let [node, depth] = [root, 0];
  for (const part of path) {
    const next = node.children.get(part);
    if (next === undefined) break;
    node = next;
    depth += 1;
  }
  return { node, depth };
}

/** A text while its keys are found. */
type Scan = {
  readonly text: string;
  /** The offsets at which its lines begin. */
  readonly starts: readonly number[];
  readonly repeated: { key: string; line: number }[];
};

/** The line of an offset, from 1 on, by halving. */
function lineAt({ starts }: Scan, offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

/** The offset at which a line ends. */
function endOf({ text, starts }: Scan, index: number): number {
  return (starts[index + 1] ?? text.length + 1) - 1;
}

function add({ repeated }: Scan, parent: Node, key: string, line: number): Node {
  if (parent.children.has(key)) repeated.push({ key, line });
  const node: Node = { line, children: new Map() };
  parent.children.set(key, node);
  return node;
}

/** Reads a flow map or list. @returns the offset behind it. */
function readFlow(scan: Scan, node: Node, from: number, depth: number): number {
  const { text } = scan;
  let at = skipBlank(text, from);
  const isMap = text[at] === "{";
  if (!isMap && text[at] !== "[") return scalarEnd(text, at);
  const close = isMap ? "}" : "]";
  const isShallow = depth < depthMax;
  at = skipBlank(text, at + 1);
  for (let count = 0; at < text.length && text[at] !== close; count += 1) {
    const before = at;
    let child = node;
    if (isMap) {
      const { key, end } = readKey(text, at);
      if (isShallow) child = add(scan, node, key, lineAt(scan, at));
      at = skipBlank(text, end);
      if (text[at] === ":") at = skipBlank(text, at + 1);
    } else if (isShallow) child = add(scan, node, String(count), lineAt(scan, at));
    at = isShallow ? readFlow(scan, child, at, depth + 1) : at + 1;
    at = skipBlank(text, at);
    if (text[at] === ",") at = skipBlank(text, at + 1);
    if (at === before) at += 1;
  }
  return at + 1;
}

/** What is open at a line of a text in blocks: keys and entries of lists, outermost first. */
type Block = {
  readonly open: { readonly indent: number; readonly node: Node }[];
  /** How many entries each list has had so far. */
  readonly counts: Map<Node, number>;
};

function readBlock(scan: Scan, root: Node): void {
  const block: Block = { open: [{ indent: -1, node: root }], counts: new Map() };
  let line = 0;
  while (line < scan.starts.length) line = readLine(scan, block, line);
}

/** @returns the index of the next line. */
function readLine(scan: Scan, block: Block, index: number): number {
  const { text, starts } = scan;
  const start = starts[index] ?? 0;
  const end = endOf(scan, index);
  let at = skipSpaces(text, start, end);
  const rest = text.slice(at, end);
  if (rest.trim() === "" || rest.startsWith("#") || /^(?:---|\.\.\.)/.test(rest)) return index + 1;
  let indent = at - start;
  while (text[at] === "-" && (at + 1 >= end || text[at + 1] === " ")) {
    const parent = parentAt(block, indent, true);
    const count = block.counts.get(parent) ?? 0;
    block.counts.set(parent, count + 1);
    block.open.push({ indent, node: add(scan, parent, String(count), index + 1) });
    at = skipSpaces(text, at + 1, end);
    indent = at - start;
  }
  return readEntry(scan, block, { from: at, end, indent, index });
}

/** Closes what ends at this indent. @returns what a key or an entry there is in. */
function parentAt({ open, counts }: Block, indent: number, isItem: boolean): Node {
  for (let last = open.at(-1); last !== undefined && open.length > 1; last = open.at(-1)) {
    if (last.indent < indent) break;
    const outer = open.at(-2);
    // The entries of a list may be as far in as the key of the list.
    const isKey = outer !== undefined && !counts.has(outer.node);
    if (isItem && last.indent === indent && isKey) break;
    open.pop();
  }
  const { node } = open.at(-1) ?? { node: { line: 1, children: new Map<string, Node>() } };
  return node;
}

type Line = {
  readonly from: number;
  readonly end: number;
  readonly indent: number;
  readonly index: number;
};

/** Reads a key with what stands behind it, or a value. @returns the index of the next line. */
function readEntry(scan: Scan, block: Block, { from, end, indent, index }: Line): number {
  const { text } = scan;
  const { key, end: keyEnd } = readKey(text, from);
  const colon = skipSpaces(text, keyEnd, end);
  const isPair = text[colon] === ":" && (colon + 1 >= end || /\s/.test(text[colon + 1] ?? " "));
  if (isPair) {
    const node = add(scan, parentAt(block, indent, false), key, index + 1);
    block.open.push({ indent, node });
  }
  const at = skipSpaces(text, isPair ? colon + 1 : from, end);
  const { node } = block.open.at(-1) ?? { node: null };
  const first = at < end ? (text[at] ?? "") : "";
  if (first === "|" || first === ">") return skipDeeper(scan, index + 1, indent);
  if (node !== null && (first === "{" || first === "[")) {
    return lineAt(scan, readFlow(scan, node, at, 0) - 1);
  }
  if (first === '"' || first === "'") return lineAt(scan, quotedEnd(text, at) - 1);
  return index + 1;
}

/** Passes over the lines of a block text. */
function skipDeeper(scan: Scan, from: number, indent: number): number {
  let next = from;
  for (; next < scan.starts.length; next += 1) {
    const own = scan.text.slice(scan.starts[next] ?? 0, endOf(scan, next));
    if (own.trim() !== "" && own.length - own.trimStart().length <= indent) break;
  }
  return next;
}

function skipSpaces(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && text[at] === " ") at += 1;
  return at;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** Passes over blanks, line breaks and comments. */
function skipBlank(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    if (/\s/.test(text[at] ?? "")) at += 1;
    else if (text[at] === "#") {
      const next = text.indexOf("\n", at);
      at = next < 0 ? text.length : next;
    } else break;
  }
  return at;
}

/** Reads a key: a text in quotes, or everything up to the colon. */
function readKey(text: string, from: number): { readonly key: string; readonly end: number } {
  const quote = text[from];
  if (quote === '"' || quote === "'") {
    const end = quotedEnd(text, from);
    return { key: unquoted(text.slice(from, end)), end };
  }
  let at = from;
  while (at < text.length) {
    const char = text[at] ?? "";
    if (char === "\n" || (char === ":" && /[\s,\]}]|^$/.test(text[at + 1] ?? ""))) break;
    if (char === "," || char === "}" || char === "]") break;
    at += 1;
  }
  return { key: text.slice(from, at).trim(), end: at };
}

function unquoted(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}

/** Returns the offset behind a text in quotes. */
function quotedEnd(text: string, from: number): number {
  const quote = text[from];
  let at = from + 1;
  while (at < text.length) {
    if (text[at] === "\\" && quote === '"') at += 2;
    else if (text[at] === quote && text[at + 1] === quote && quote === "'") at += 2;
    else if (text[at] === quote) return at + 1;
    else at += 1;
  }
  return text.length;
}

/** Returns the offset behind a value that is no map and no list. */
function scalarEnd(text: string, from: number): number {
  if (text[from] === '"' || text[from] === "'") return quotedEnd(text, from);
  let at = from;
  while (at < text.length && !/[\n,\]}]/.test(text[at] ?? "")) at += 1;
  return at;
}
