/** Reads the command line of `tollgate import`. */

import type { Rules } from "./move.ts";

export type ImportArguments = {
  readonly address: string;
  /** Null: the tables tell. */
  readonly from: string | null;
  /** The name of the import; null: it follows from the source. */
  readonly name: string | null;
  /** A file of LiteLLM beside its database; null: there is none. */
  readonly configFile: string | null;
  /** Of how many days the calls of the log are brought; 0: of none. */
  readonly logDays: number;
  /** What users get who may spend any amount there, in dollars. */
  readonly unlimitedDollars: number;
  /** `finish`: the last run. `follow`: runs until it is stopped. `open`: one user may call here. */
  readonly verb: "dry-run" | "finish" | "follow" | "open" | "run" | "undo";
  /** How long is waited between two runs, in seconds. */
  readonly followSeconds: number;
  /** The user to open, by the name or id at the source. */
  readonly opened: string;
  readonly asJson: boolean;
  readonly rules: Rules;
};

const conflicts: readonly string[] = ["merge", "rename", "skip"] satisfies Rules["conflicts"][];
const negatives: readonly string[] = ["debt", "zero"] satisfies Rules["negative"][];

/** The options that take a value. */
const valued: readonly string[] = [
  "--config",
  "--conflicts",
  "--follow",
  "--from",
  "--logs",
  "--name",
  "--negative",
  "--open",
  "--unlimited",
];
const flags: readonly string[] = ["--dry-run", "--explain", "--finish", "--json", "--undo"];

const verbOf: readonly (readonly [string, ImportArguments["verb"]])[] = [
  ["--dry-run", "dry-run"],
  ["--explain", "dry-run"],
  ["--finish", "finish"],
  ["--follow", "follow"],
  ["--open", "open"],
  ["--undo", "undo"],
];

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
  const unlimited = given.get("--unlimited") ?? "0";
  const verbs = verbOf.filter(([word]) => given.has(word)).map(([, verb]) => verb);
  const [verb = "run"] = verbs;
  const logDays = given.get("--logs") ?? "0";
  const followSeconds = Number(given.get("--follow") ?? 1);
  if (address === undefined || addresses.length > 1 || new Set(verbs).size > 1) return undefined;
  if (!conflicts.includes(conflict) || !negatives.includes(negative)) return undefined;
  if (!/^\d{1,9}$/.test(unlimited) || !/^\d{1,5}$/.test(logDays)) return undefined;
  if (!Number.isSafeInteger(followSeconds) || followSeconds < 1) return undefined;
  return {
    address,
    configFile: given.get("--config") ?? null,
    logDays: Number(logDays),
    unlimitedDollars: Number(unlimited),
    from: given.get("--from") ?? null,
    name: given.get("--name") ?? null,
    verb,
    followSeconds,
    opened: given.get("--open") ?? "",
    asJson: given.has("--json"),
    // Safe casts: they are among the words above.
    rules: {
      conflicts: conflict as Rules["conflicts"],
      negative: negative as Rules["negative"],
    },
  };
}
