/**
 * Splits the text of typed or pasted channel keys into keys. The console's preview and the server
 * use the same function, so that what is saved is what was shown.
 */

export type PastedKey = {
  readonly text: string;
  /** The line on which the key begins, counted from 1. */
  readonly line: number;
  /** Whether the key is a JSON document, such as a service account. */
  readonly isJson: boolean;
};

export type PastedKeys = {
  /** The keys, each once, in the order in which they were typed. */
  readonly keys: readonly PastedKey[];
  /** The repeated keys: the line of the repetition and that of the first occurrence. */
  readonly duplicates: readonly { readonly line: number; readonly first: number }[];
  /** The number of empty lines before the last key. They are left out. */
  readonly blanks: number;
  /** The lines on which a JSON document begins that is not valid or has no end. */
  readonly broken: readonly number[];
};

/**
 * Reads keys, one a line. A JSON object is one key, even if it has several lines. A JSON array
 * stands for the keys that it lists.
 */
export function readPastedKeys(text: string): PastedKeys {
  const listed = readArray(text);
  return listed === undefined ? sorted(splitText(text)) : sorted({ ...nothing, found: listed });
}

type Split = {
  readonly found: readonly PastedKey[];
  readonly blanks: number;
  readonly broken: readonly number[];
};

const nothing: Split = { found: [], blanks: 0, broken: [] };

function sorted({ found, blanks, broken }: Split): PastedKeys {
  const first = new Map<string, PastedKey>();
  const duplicates: { line: number; first: number }[] = [];
  for (const key of found) {
    const before = first.get(key.text);
    if (before === undefined) first.set(key.text, key);
    else duplicates.push({ line: key.line, first: before.line });
  }
  return { keys: [...first.values()], duplicates, blanks, broken };
}

/**
 * Reads a JSON array of keys. The n-th entry counts as line n. Undefined: the text is not a JSON
 * array.
 */
function readArray(text: string): PastedKey[] | undefined {
  if (!text.trimStart().startsWith("[")) return undefined;
  const entries = parseJson(text);
  if (!Array.isArray(entries)) return undefined;
  const keys = entries.map((entry: unknown, index): PastedKey | undefined => {
    const line = index + 1;
    if (typeof entry === "string") return { text: entry.trim(), line, isJson: false };
    return isObject(entry) ? { text: JSON.stringify(entry), line, isJson: true } : undefined;
  });
  const known = keys.filter((key) => key !== undefined);
  return known.length === keys.length ? known.filter((key) => key.text !== "") : undefined;
}

function splitText(text: string): Split {
  const lines = text.trimEnd().split(/\r?\n/);
  const found: PastedKey[] = [];
  const broken: number[] = [];
  let blanks = 0;
  for (let index = 0; index < lines.length; index += 1) {
    const row = (lines[index] ?? "").trim();
    const line = index + 1;
    if (row === "") {
      if (lines.length > 1) blanks += 1;
    } else if (row.startsWith("{")) {
      const length = documentLength(lines, index);
      const document = lines
        .slice(index, index + length)
        .join("\n")
        .trim();
      if (isObject(parseJson(document))) found.push({ text: document, line, isJson: true });
      else broken.push(line);
      index += length - 1;
    } else {
      found.push({ text: row, line, isJson: false });
    }
  }
  return { found, blanks, broken };
}

/**
 * Returns how many lines the JSON object has that begins on line `from`: up to the line that closes
 * its last brace; if there is none, all remaining lines.
 */
function documentLength(lines: readonly string[], from: number): number {
  let depth = 0;
  let inText = false;
  for (let index = from; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    for (let at = 0; at < line.length; at += 1) {
      const char = line[at];
      if (inText) {
        if (char === "\\") at += 1;
        else if (char === '"') inText = false;
      } else if (char === '"') inText = true;
      else if (char === "{") depth += 1;
      else if (char === "}") depth -= 1;
    }
    if (depth <= 0) return index - from + 1;
    // A text cannot contain a line break in JSON, so one that has no end ends with its line.
    inText = false;
  }
  return lines.length - from;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The shortest key whose first and last characters are shown; shorter ones are masked completely.
 */
const hintedMin = 16;

/** Returns how a key is shown: its ends, or nothing of it if it is short. */
export function hintOfKey(key: string): string {
  if (key.length < hintedMin) return "••••";
  return `${key.slice(0, 4)}••••${key.slice(-4)}`.replaceAll(/\s/g, " ");
}

/** Returns by which name a JSON key can be recognised, such as a service account's address. */
export function nameOfJsonKey(text: string): string {
  const document: unknown = parseJson(text);
  if (!isObject(document)) return "";
  for (const field of ["client_email", "project_id", "name"]) {
    const value: unknown = Reflect.get(document, field);
    if (typeof value === "string" && value !== "") return value.slice(0, 100);
  }
  return "";
}
