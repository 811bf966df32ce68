/** Runs `tollgate apply`, `tollgate diff` and `tollgate export` on whatever holds the installation. */

import type {
  ConfigurationChange,
  ConfigurationDocument,
  ConfigurationPlan,
} from "@tollgate/contract/endpoints/configuration.ts";
import type { ConfigurationArguments } from "./configuration-arguments.ts";
import { type FileFault, type ReadFiles, readFiles } from "./read-files.ts";

/** An installation, by its data folder or by its console API. */
export type Installed = {
  plan(asked: ConfigurationRequest): Promise<ConfigurationPlan>;
  apply(asked: ConfigurationRequest & { readonly source: string }): Promise<ConfigurationPlan>;
  export(): Promise<{
    readonly document: ConfigurationDocument;
    readonly left_out: readonly string[];
  }>;
};

type ConfigurationRequest = { readonly document: ConfigurationDocument; readonly prune: boolean };

type CommandDeps = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly open: () => Promise<Installed>;
  /** Translates a message of the server. */
  readonly words: (message: string) => string;
  /** Prints a line of what was asked for. */
  readonly print: (line: string) => void;
  /** Tells the operator something besides. */
  readonly tell: (line: string) => void;
};

/** How the command ended. `diff` tells by it whether there is a difference. */
const exitCodes = { done: 0, refused: 1, differs: 3 } as const;

/** Runs the command. @returns the exit code. */
export async function runConfiguration(
  asked: ConfigurationArguments,
  deps: CommandDeps,
): Promise<number> {
  if (asked.verb === "export") return await showDocument(deps);
  const read = readFiles(asked.path, deps.env);
  if (read.faults.length > 0) return refuse(read.faults, deps);
  const { document } = read;
  const installed = await deps.open();
  const given = { document, prune: asked.prune };
  const isTrial = asked.verb === "diff";
  const plan = isTrial
    ? await installed.plan(given)
    : await installed.apply({ ...given, source: asked.path });
  if (plan.faults.length > 0) return refuse(placed(plan, read, deps), deps);
  for (const change of plan.changes) showChange(change, deps);
  const { length: count } = plan.changes;
  const things = `${count} ${count === 1 ? "thing" : "things"}`;
  if (count === 0) deps.tell("Nothing differs.");
  else deps.tell(isTrial ? `${things} would change.` : `${things} changed.`);
  return isTrial && count > 0 ? exitCodes.differs : exitCodes.done;
}

function placed({ faults }: ConfigurationPlan, read: ReadFiles, { words }: CommandDeps) {
  return faults.map(({ path, message }): FileFault => {
    const sentence = words(message);
    if (path.length === 0) return { file: "", line: null, message: sentence };
    const name = path.slice(0, -1).join(".");
    const about = name === "" ? "" : `${path.join(".")}: `;
    return { ...read.placeOf(path), message: about + sentence };
  });
}

/** Tells what is wrong, in the order of the lines. */
function refuse(faults: readonly FileFault[], { tell }: CommandDeps): number {
  const sorted = faults.toSorted(
    (a, b) => compareText(a.file, b.file) || (a.line ?? 0) - (b.line ?? 0),
  );
  const told = new Set<string>();
  for (const { file, line, message } of sorted) {
    const place = [file, line === null ? "" : `line ${line}`].filter((part) => part !== "");
    told.add([...place, message].join(place.length === 0 ? "" : ": ").replace(": line", ", line"));
  }
  for (const sentence of told) tell(sentence);
  tell("Nothing was changed.");
  return exitCodes.refused;
}

const signs = { create: "+", change: "~", remove: "-" } as const;

/** How much of a value is shown, in characters. */
const shownMax = 120;

function showChange({ kind, name, action, fields }: ConfigurationChange, deps: CommandDeps): void {
  deps.print(`${signs[action]} ${kind} ${name}`);
  if (action === "remove") return;
  for (const { field, before, after } of fields) {
    if (after === null || (action === "create" && after === "")) continue;
    const was = before === null || action === "create" ? "" : `${shortly(before)} → `;
    deps.print(`    ${field}: ${was}${shortly(after)}`);
  }
}

function shortly(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  if (line === "") return '""';
  return line.length > shownMax ? `${line.slice(0, shownMax)}…` : line;
}

async function showDocument({ open, print, tell }: CommandDeps): Promise<number> {
  const { document, left_out } = await (await open()).export();
  print(Bun.YAML.stringify(document, null, 2).trimEnd());
  for (const what of left_out) tell(`${what} cannot be told apart, or cannot be written again.`);
  return exitCodes.done;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
