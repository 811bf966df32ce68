/** Reads the command line of `tollgate import`. */

import type { Rules } from "./move.ts";

export type ImportArguments = {
  readonly address: string;
  /** Null: the tables tell. */
  readonly from: string | null;
  /** The name of the import; null: it follows from the source. */
  readonly name: string | null;
  readonly verb: "dry-run" | "run" | "undo";
  readonly asJson: boolean;
  readonly rules: Rules;
};

const conflicts: readonly string[] = ["merge", "rename", "skip"] satisfies Rules["conflicts"][];
const negatives: readonly string[] = ["debt", "zero"] satisfies Rules["negative"][];

/** The options that take a value. */
const valued: readonly string[] = ["--conflicts", "--from", "--name", "--negative"];
const flags: readonly string[] = ["--dry-run", "--explain", "--json", "--undo"];

/** @returns undefined: the arguments are not right. */
export function readImportArguments(rest: readonly string[]): ImportArguments | undefined {
  const given = new Map<string, string>();
  const addresses: string[] = [];
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? "";
    if (valued.includes(word)) {
      at += 1;
      const value = rest[at];
      if (value === undefined || value === "") return undefined;
      given.set(word, value);
    } else if (flags.includes(word)) given.set(word, "");
    else if (word.startsWith("-")) return undefined;
    else addresses.push(word);
  }
  const [address] = addresses;
  const conflict = given.get("--conflicts") ?? "rename";
  const negative = given.get("--negative") ?? "debt";
  const isDry = given.has("--dry-run") || given.has("--explain");
  const isUndo = given.has("--undo");
  if (address === undefined || addresses.length > 1 || (isDry && isUndo)) return undefined;
  if (!conflicts.includes(conflict) || !negatives.includes(negative)) return undefined;
  return {
    address,
    from: given.get("--from") ?? null,
    name: given.get("--name") ?? null,
    verb: isUndo ? "undo" : isDry ? "dry-run" : "run",
    asJson: given.has("--json"),
    // Safe casts: they are among the words above.
    rules: {
      conflicts: conflict as Rules["conflicts"],
      negative: negative as Rules["negative"],
    },
  };
}
