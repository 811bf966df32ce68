/**
 * Reads what the sources of the contract say of each endpoint, which no value at run time has: its
 * name and its comment. Runs while the server is built, or started from its sources, and its
 * result stands in the executable.
 */

import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** What is said of one endpoint. */
type EndpointNote = {
  /** The noun that it belongs to: the name of its file. */
  readonly noun: string;
  /** Its name in the contract, such as `listLogs`. */
  readonly name: string;
  /** Its comment; empty: it has none. */
  readonly text: string;
};

/** Notes by method and path, and flag if there is one: `PUT /api/token/?status_only`. */
export type Notes = Readonly<Record<string, EndpointNote>>;

const declaration =
  /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?export const (\w+) = endpoint\(\{([\s\S]*?)\n\}\);/g;

export function readNotes(): Notes {
  const folder = join(import.meta.dir, "../../../../contract/src/endpoints");
  const options = join(import.meta.dir, "../../../../contract/src/options");
  const files = [folder, options].flatMap((room) =>
    readdirSync(room)
      .filter((name) => /^[\w-]+\.ts$/.test(name))
      .map((name) => join(room, name)),
  );
  const notes: Record<string, EndpointNote> = {};
  for (const file of files.toSorted()) {
    const noun = basename(file, ".ts");
    const known = new Map<string, Address>();
    for (const found of readFileSync(file, "utf8").matchAll(declaration)) {
      const [, comment = "", name = "", body = ""] = found;
      const address = addressIn(body, known);
      known.set(name, address);
      notes[keyOf(address)] = { noun, name, text: textOf(comment) };
    }
  }
  return notes;
}

type Address = { readonly method: string; readonly path: string; readonly flag: string };

/** Reads the address of an endpoint; what it does not say itself is that of the one it copies. */
function addressIn(body: string, known: ReadonlyMap<string, Address>): Address {
  const copied = known.get(/^ {2}\.\.\.(\w+),/m.exec(body)?.[1] ?? "");
  const field = (name: "flag" | "method" | "path"): string =>
    new RegExp(`^  ${name}:\\s*"([^"]*)"`, "m").exec(body)?.[1] ?? copied?.[name] ?? "";
  return { method: field("method"), path: field("path"), flag: field("flag") };
}

function keyOf({ flag, method, path }: Address): string {
  return `${method} ${path}${flag === "" ? "" : `?${flag}`}`;
}

function textOf(comment: string): string {
  return comment
    .replaceAll(/^[ \t]*\* ?/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
