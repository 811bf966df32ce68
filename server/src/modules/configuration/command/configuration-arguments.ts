/** The command lines of `tollgate apply`, `tollgate diff` and `tollgate export`. */

export type ConfigurationArguments =
  | {
      readonly verb: "apply" | "diff";
      readonly path: string;
      readonly prune: boolean;
      /** Null: the data folder. */
      readonly url: string | null;
    }
  | { readonly verb: "export"; readonly url: string | null };

const urlFlag = "--url";

/** Reads the arguments of a command; undefined: they are not right. */
export function readConfigurationArguments(
  name: "apply" | "diff" | "export",
  args: readonly string[],
): ConfigurationArguments | undefined {
  const left: string[] = [];
  const flags = new Set<string>();
  let url: string | null = null;
  for (let at = 0; at < args.length; at += 1) {
    const given = args[at] ?? "";
    if (given === urlFlag) {
      at += 1;
      url = args[at] ?? "";
      if (!/^https?:\/\/[^/]/.test(url)) return undefined;
    } else if (given.startsWith("-")) flags.add(given);
    else left.push(given);
  }
  const isKnown = (...known: readonly string[]) => [...flags].every((flag) => known.includes(flag));
  if (name === "export") {
    const isRight = flags.has("--config") && flags.size === 1 && left.length === 0;
    return isRight ? { verb: "export", url } : undefined;
  }
  const [path, ...rest] = left;
  if (path === undefined || rest.length > 0) return undefined;
  const known = name === "apply" ? ["--dry-run", "--prune"] : ["--prune"];
  if (!isKnown(...known)) return undefined;
  const verb = name === "diff" || flags.has("--dry-run") ? "diff" : "apply";
  return { verb, path, prune: flags.has("--prune"), url };
}
