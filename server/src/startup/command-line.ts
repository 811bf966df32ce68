/** The command line: what commands there are, what they take, and their help. */

/** A command line that can be run. */
export type Command =
  | { readonly name: "run"; readonly demo: boolean }
  | { readonly name: "show"; readonly text: string }
  | {
      readonly name: "configuration";
      readonly verb: "apply" | "diff" | "export";
      readonly rest: readonly string[];
    }
  | { readonly name: "audit" }
  | { readonly name: "export-data"; readonly hasSecrets: boolean }
  | { readonly name: "backup" | "restore"; readonly file: string }
  | { readonly name: "doctor"; readonly asJson: boolean }
  | { readonly name: "health" }
  | { readonly name: "bill"; readonly rest: readonly string[] }
  | { readonly name: "import"; readonly rest: readonly string[] }
  | { readonly name: "mend-charges"; readonly rest: readonly string[] }
  | { readonly name: "prices"; readonly rest: readonly string[] }
  | { readonly name: "reset-root-password"; readonly removesSecondFactor: boolean };

/** What each command does, as its help says: the line to type, and what it does. */
const helps: Readonly<Record<string, readonly [line: string, about: string]>> = {
  "": ["tollgate", "run the gateway"],
  "--demo": ["tollgate --demo", "the same, with a scripted demo upstream ready to be called"],
  apply: [
    "tollgate apply <file or folder> [--dry-run] [--prune] [--url <address>]",
    "make the installation what YAML or JSON files say; --prune: remove what their\n" +
      "sections do not name; --url: over the console API, with TOLLGATE_ACCESS_TOKEN",
  ],
  audit: [
    "tollgate audit",
    "prove the ledger; prints the first row that does not fit and ends with 1",
  ],
  backup: [
    "tollgate backup <file>",
    "write a consistent copy of the database while the gateway runs; on PostgreSQL\n" +
      "with pg_dump",
  ],
  bill: [
    "tollgate bill anthropic | csv | new-api | openai | openrouter <file> [--zone <zone>]",
    "lay the usage file of an upstream beside the ledger, by day, model and key;\n" +
      "prints sums, gaps and the calls that explain them as CSV, and ends with 3 if\n" +
      "there is a gap; --channels 1,2, --key <key>=<channel>, --places <n>,\n" +
      "--column <name>=<heading>; see docs/operate/price-sources.md",
  ],
  diff: [
    "tollgate diff <file or folder> [--prune] [--url <address>]",
    "say what apply would change; ends with 3 if there is something",
  ],
  doctor: [
    "tollgate doctor [--json]",
    "look at settings, folder, database, clock, mail, channels, prices and proxies;\n" +
      "each line says ok, warn or fail and what to do; ends with 1 if one fails",
  ],
  export: [
    "tollgate export --config [--url <address>]",
    "write what is there as such a file, with references in place of secrets;\n" +
      "export --data [--secrets]: users, keys, channels, codes, prices and balances as\n" +
      "JSON lines; secrets only locked with a passphrase; see docs/operate/move-in.md",
  ],
  health: ["tollgate health", "end with 0 when the gateway of this machine takes calls"],
  import: [
    "tollgate import <address or file> [--dry-run] [--undo]",
    "bring users, keys, channels, prices and balances of another gateway here, from\n" +
      "its SQLite file, or by mysql://… or postgres://…; --dry-run says what would\n" +
      "come, --undo takes it back within seven days; see docs/operate/move-in.md",
  ],
  "mend-charges": [
    "tollgate mend-charges --since <YYYY-MM-DD>",
    "list the calls that earlier versions charged too little or perhaps too much;\n" +
      "with --call <request id> --refund give back what was too much of the calls\n" +
      "named, after root has proven to be root",
  ],
  prices: [
    "tollgate prices list | export [--csv] | diff <file> [--preview [days]] | apply <file> | sync",
    "show the prices in force; write them as JSON or CSV; compare them with such a\n" +
      "file, or save its prices as a new version; --catalogue in place of a file:\n" +
      "the prices of today's catalogue, for the models that have theirs from it;\n" +
      "--preview 1|7|30|90: what the calls of the last days would be charged by them;\n" +
      "sync <source> | --all [--file <list>] [--apply]: compare with a published list;\n" +
      "--apply: save what the rules of the source allow",
  ],
  "reset-root-password": [
    "tollgate reset-root-password",
    "give root a new password and print it; with --remove-2fa also remove root's\n" +
      "authenticator app, passkeys and recovery codes",
  ],
  restore: [
    "tollgate restore <file>",
    "bring a backup back into an empty data folder or database, and prove it",
  ],
  "--version": ["tollgate --version", "the version, and the commit it was built from"],
  "--help": ["tollgate --help", "this text; after a command, the help of that command"],
};

const helpFlags = ["--help", "-h", "help"];
const settings = "Settings come from the environment; docs/operate/settings.md lists them.\n";

/** Where the text begins that says what a command does, in characters. */
const aboutColumn = 20;

/** Returns the help of a command; of all commands if there is no such one. */
export function helpOf(command: string): string {
  const own = Object.hasOwn(helps, command) && command !== "" ? helps[command] : undefined;
  const shown = own === undefined ? Object.values(helps) : [own];
  return `${shown.map(([line, about]) => helpLine(line, about)).join("\n")}\n\n${settings}`;
}

function helpLine(line: string, about: string): string {
  const [first = "", ...rest] = about.split("\n");
  const margin = `\n${" ".repeat(aboutColumn)}`;
  const head = line.length < aboutColumn ? line.padEnd(aboutColumn) + first : line + margin + first;
  return [head, ...rest].join(margin);
}

/**
 * Reads the arguments of the program; undefined: they are not right.
 *
 * @param version what `--version` prints.
 */
export function readCommand(args: readonly string[], version: string): Command | undefined {
  const [name = "", ...rest] = args;
  if (helpFlags.includes(name)) return { name: "show", text: helpOf(rest[0] ?? "") };
  if (rest.some((flag) => helpFlags.includes(flag))) return { name: "show", text: helpOf(name) };
  const [flag] = rest;
  switch (name) {
    case "":
    case "--demo":
      return flag === undefined ? { name: "run", demo: name === "--demo" } : undefined;
    case "--version":
    case "-v":
      return flag === undefined ? { name: "show", text: `tollgate ${version}\n` } : undefined;
    case "audit":
      return flag === undefined ? { name } : undefined;
    case "export":
      if (!rest.includes("--data")) return { name: "configuration", verb: name, rest };
      if (rest.some((each) => each !== "--data" && each !== "--secrets")) return undefined;
      return { name: "export-data", hasSecrets: rest.includes("--secrets") };
    case "apply":
    case "diff":
      return { name: "configuration", verb: name, rest };
    case "bill":
    case "import":
    case "mend-charges":
    case "prices":
      return { name, rest };
    case "backup":
    case "restore":
      return flag === undefined || flag.startsWith("-") || rest.length > 1
        ? undefined
        : { name, file: flag };
    case "doctor":
      return rest.some((each) => each !== "--json") ? undefined : { name, asJson: rest.length > 0 };
    case "health":
      return flag === undefined ? { name } : undefined;
    case "reset-root-password":
      if (rest.some((each) => each !== "--remove-2fa")) return undefined;
      return { name, removesSecondFactor: flag !== undefined };
    default:
      return undefined;
  }
}
