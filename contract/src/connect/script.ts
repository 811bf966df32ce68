/**
 * The script that connects an agent: a program for Node.js that asks for the key, writes it into
 * the agent's own files and nowhere else, and says what it has changed and how to undo that. It is
 * shown whole before anybody runs it, so it is short and has no dependencies.
 */

import type { Client } from "./client.ts";

/** Stands in the script for the key, which it asks for when it runs. */
const keyMark = "{key}";

/** The name of the script's file. */
export function scriptName({ id }: Pick<Client, "id">): string {
  return `connect-${id}.mjs`;
}

/** Writes the script of a client that has one. */
export function scriptOf(
  client: Client,
  { origin, model }: { readonly origin: string; readonly model: string },
): string {
  const name = scriptName(client);
  const changes = client.changes({ origin, model, key: keyMark });
  const files = changes.map((change) => `  ${JSON.stringify(change)},`);
  return [
    `// Connects ${client.name} to ${origin}:  node ${name}`,
    `// Takes it back:  node ${name} --undo`,
    ...imports,
    "",
    `const server = ${JSON.stringify(origin)};`,
    `// What becomes part of each file, below your home; ${keyMark} stands for the key.`,
    "const changes = [",
    ...files,
    "];",
    "",
    program.trim(),
    "",
  ].join("\n");
}

const imports = [
  'import * as fs from "node:fs";',
  'import { homedir } from "node:os";',
  'import { dirname, join } from "node:path";',
  'import { createInterface } from "node:readline";',
];

const program = String.raw`
const pathOf = (change) => {
  const path = join(homedir(), change.path);
  return fs.existsSync(path) ? fs.realpathSync(path) : path; // a link stays a link
};
// The file as it was before the first run; empty: there was none.
const copyOf = (path) => path + ".before-tollgate";

if (process.argv.includes("--undo")) undo();
else await connect();

async function connect() {
  const key = (await ask("API key (is not shown): ")).trim();
  if (!/^sk-[\w-]+$/.test(key)) stop("This is no key; it begins with sk-. Nothing was changed.");
  const answer = await fetch(server + "/v1/models", {
    headers: { authorization: "Bearer " + key },
    signal: AbortSignal.timeout(20_000),
  }).catch((error) => stop(server + " cannot be reached: " + error.message));
  if (!answer.ok) stop(server + " refused the key (" + answer.status + "). Nothing was changed.");
  // Everything is worked out before the first file is written.
  const written = changes.map((change) => {
    const path = pathOf(change);
    const before = fs.existsSync(path) ? fs.readFileSync(path, "utf8") : "";
    return { path, before, text: changed(before, change, path).replaceAll("{key}", key) };
  });
  for (const { path, before, text } of written) {
    fs.mkdirSync(dirname(path), { recursive: true });
    if (!fs.existsSync(copyOf(path))) write(copyOf(path), before);
    write(path, text);
    console.log((before === "" ? "Written:  " : "Changed:  ") + path);
    if (before !== "") console.log("  before:  " + copyOf(path));
  }
  console.log("Undo:     node " + process.argv[1] + " --undo");
}

function undo() {
  for (const path of changes.map(pathOf)) {
    const copy = copyOf(path);
    if (!fs.existsSync(copy)) {
      console.log("As it was: " + path);
      continue;
    }
    if (fs.statSync(copy).size === 0) fs.rmSync(path, { force: true });
    else write(path, fs.readFileSync(copy, "utf8"));
    fs.rmSync(copy);
    console.log("Taken back: " + path);
  }
}

// Only the owner may read it; a file is there whole or not at all.
function write(path, text) {
  const part = path + ".part";
  fs.rmSync(part, { force: true });
  fs.writeFileSync(part, text, { mode: 0o600, flag: "wx" });
  fs.renameSync(part, path);
}

function changed(before, change, path) {
  if (change.json) return JSON.stringify(merge(parse(before, path), change.json), null, 2) + "\n";
  if (change.lines) return withLines(before, change.lines, (name, value) => name + "=" + value);
  const rows = before.split("\n");
  const at = rows.findIndex((row) => /^\s*\[\[?[\w."' -]+\]\]?\s*(#.*)?$/.test(row));
  const head = at < 0 ? rows : rows.slice(0, at);
  let own = false;
  const rest = (at < 0 ? [] : rows.slice(at)).filter((row) => {
    if (/^\s*\[/.test(row)) own = row.trim().startsWith("[" + change.table + "]");
    return !own;
  });
  const set = (name, value) => name + " = " + JSON.stringify(value);
  const table = Object.entries(change.values).map(([name, value]) => set(name, value));
  const tail = rest.join("\n").trim();
  return (
    withLines(head.join("\n"), change.top, set) +
    (tail === "" ? "" : "\n" + tail + "\n") +
    "\n[" + change.table + "]\n" + table.join("\n") + "\n"
  );
}

// Replaces the lines that set these names, and adds the others.
function withLines(before, values, set) {
  const names = Object.keys(values);
  const kept = before.split("\n").filter((row) => !names.includes(row.split("=")[0].trim()));
  const rows = names.map((name) => set(name, values[name]));
  return [...rows, kept.join("\n").trim()].filter((row) => row !== "").join("\n") + "\n";
}

function merge(one, other) {
  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  if (!isObject(one) || !isObject(other)) return other;
  const both = { ...one };
  for (const [name, value] of Object.entries(other)) both[name] = merge(one[name], value);
  return both;
}

function parse(text, path) {
  try {
    return text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    stop(path + " is not plain JSON (it may have comments): add the lines by hand. Nothing was changed.");
  }
}

// Reads a line without showing it, from a terminal or a pipe; it is never an argument.
function ask(question) {
  process.stderr.write(question);
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: process.stdin.isTTY });
  lines._writeToOutput = () => {};
  return new Promise((resolve) => {
    lines.once("line", (line) => {
      resolve(line);
      lines.close();
      process.stderr.write("\n");
    });
    lines.once("close", () => resolve(""));
  });
}

function stop(text) {
  console.error(text);
  process.exit(1);
}
`;
