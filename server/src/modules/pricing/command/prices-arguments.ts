/** The command line of `tollgate prices`. */

import { previewDays, type PreviewDays } from "@tollgate/contract/endpoints/price-previews.ts";

export type PricesArguments =
  | { readonly verb: "list" }
  | { readonly verb: "export"; readonly form: "csv" | "json" }
  | ({ readonly verb: "apply" } & From)
  | {
      readonly verb: "sync";
      /** The number or name of the source; null: all. */
      readonly source: string | null;
      /** The list itself; null: it is read from the address of the source. */
      readonly file: string | null;
      /** Whether what the rules allow is saved at once. */
      readonly applies: boolean;
    }
  | ({
      readonly verb: "diff";
      /** The calls of how many days are charged again by the prices; null: none. */
      readonly preview: PreviewDays | null;
    } & From);

type From = {
  /** The file with the prices; null: the catalogue, for the models that have theirs from it. */
  readonly file: string | null;
};

/** The days of a preview that does not say how many. */
const usualDays: PreviewDays = 7;

/** Reads the arguments of the command; undefined: they are not right. */
export function readPricesArguments(args: readonly string[]): PricesArguments | undefined {
  const [verb, given, ...rest] = args;
  if (verb === "diff") {
    const file = fileOf(given);
    const preview = readPreview(rest);
    return file === undefined || preview === undefined ? undefined : { verb, file, preview };
  }
  if (verb === "sync") return readSync(args.slice(1));
  if (rest.length > 0) return undefined;
  if (verb === "list") return given === undefined ? { verb } : undefined;
  if (verb === "export") {
    if (given === undefined || given === "--json") return { verb, form: "json" };
    return given === "--csv" ? { verb, form: "csv" } : undefined;
  }
  const file = fileOf(given);
  return verb !== "apply" || file === undefined ? undefined : { verb, file };
}

function fileOf(given: string | undefined): string | null | undefined {
  if (given === "--catalogue") return null;
  return given?.startsWith("--") === true ? undefined : given;
}

function readSync(args: readonly string[]): PricesArguments | undefined {
  const [given, ...rest] = args;
  if (given === undefined || (given.startsWith("--") && given !== "--all")) return undefined;
  const source = given === "--all" ? null : given;
  let file: string | null = null;
  let applies = false;
  for (let at = 0; at < rest.length; at += 1) {
    const next = rest[at + 1];
    if (rest[at] === "--apply") applies = true;
    else if (rest[at] === "--file" && source !== null && next !== undefined) {
      file = next;
      at += 1;
    } else return undefined;
  }
  return { verb: "sync", source, file, applies };
}

/** Reads `--preview` and its days; undefined: it is not right. */
function readPreview([flag, days, ...rest]: readonly string[]): PreviewDays | null | undefined {
  if (flag === undefined) return null;
  if (flag !== "--preview" || rest.length > 0) return undefined;
  return days === undefined ? usualDays : previewDays.find((count) => String(count) === days);
}
