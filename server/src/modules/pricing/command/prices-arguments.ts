/** The command line of `tollgate prices`. */

export type PricesArguments =
  | { readonly verb: "list" }
  | { readonly verb: "export"; readonly form: "csv" | "json" }
  | {
      readonly verb: "apply" | "diff";
      /** The file with the prices; null: the catalogue, for the models that have theirs from it. */
      readonly file: string | null;
    };

/** Reads the arguments of the command; undefined: they are not right. */
export function readPricesArguments(args: readonly string[]): PricesArguments | undefined {
  const [verb, given, ...rest] = args;
  if (rest.length > 0) return undefined;
  if (verb === "list") return given === undefined ? { verb } : undefined;
  if (verb === "export") {
    if (given === undefined || given === "--json") return { verb, form: "json" };
    return given === "--csv" ? { verb, form: "csv" } : undefined;
  }
  if (verb !== "apply" && verb !== "diff") return undefined;
  if (given === "--catalogue") return { verb, file: null };
  return given === undefined || given.startsWith("--") ? undefined : { verb, file: given };
}
