/** The command line of `tollgate prices`. */

import { previewDays, type PreviewDays } from "@tollgate/contract/endpoints/price-previews.ts";

export type PricesArguments =
  | { readonly verb: "list" }
  | { readonly verb: "export"; readonly form: "csv" | "json" }
  | ({ readonly verb: "apply" } & From)
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

/** Reads `--preview` and its days; undefined: it is not right. */
function readPreview([flag, days, ...rest]: readonly string[]): PreviewDays | null | undefined {
  if (flag === undefined) return null;
  if (flag !== "--preview" || rest.length > 0) return undefined;
  return days === undefined ? usualDays : previewDays.find((count) => String(count) === days);
}
