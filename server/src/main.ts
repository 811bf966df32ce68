/** The process: reads the command line and the environment, starts and stops the gateway. */

import { type Config, ConfigError, readConfig } from "./config.ts";
import { type Running, start } from "./start.ts";
import { openLogger } from "#base/logger.ts";
import { openSecrets, randomText, SecretError } from "#base/secrets.ts";
import { closeNewFiles } from "#db/data-folder.ts";
import { lockDataDir, OwnedElsewhere } from "#db/owner-lock.ts";
import { SchemaError } from "#db/schema-error.ts";
import { StoreUnavailable } from "#db/store-unavailable.ts";
import { type MendArguments, readMendArguments } from "#modules/ledger/mend/mend-arguments.ts";
import {
  type PricesArguments,
  readPricesArguments,
} from "#modules/pricing/command/prices-arguments.ts";
import { startHashingProcess } from "./threads.ts";
import { openHashing } from "#workers/hashing-client.ts";

const usage = `tollgate            run the gateway
tollgate --demo     the same, with a scripted demo upstream ready to be called
tollgate audit      prove the ledger; prints the first row that does not fit and ends with 1
tollgate mend-charges --since <YYYY-MM-DD>
                    list the calls that earlier versions charged too little or perhaps too much;
                    with --call <request id> --refund give back what was too much of the calls
                    named, after root has proven to be root
tollgate prices list | export [--csv] | diff <file> | apply <file>
                    show the prices in force; write them as JSON or CSV; compare them with such a
                    file, or save its prices as a new version. --catalogue in place of a file: the
                    prices of today's catalogue, for the models that have theirs from it
tollgate reset-root-password
                    give root a new password and print it; with --remove-2fa also remove root's
                    authenticator app, passkeys and recovery codes
tollgate --help     this text

Settings come from the environment; README.md lists them.
`;

/** Prints a line for the operator to standard error. Log lines go to standard output as JSON. */
function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The flags that each command takes. */
const flagsOf: Readonly<Record<string, readonly string[]>> = {
  "": [],
  "--demo": [],
  "--help": [],
  audit: [],
  "reset-root-password": ["--remove-2fa"],
};

async function main(args: readonly string[]): Promise<number | undefined> {
  const [command = "", ...rest] = args;
  const mends = command === "mend-charges" ? readMendArguments(rest) : undefined;
  const prices = command === "prices" ? readPricesArguments(rest) : undefined;
  const flags = mends === undefined && prices === undefined ? flagsOf[command] : rest;
  if (flags === undefined || rest.some((flag) => !flags.includes(flag))) {
    tell(`Unknown command line: ${args.join(" ")}\n\n${usage}`);
    return 2;
  }
  if (command === "--help") {
    process.stdout.write(usage);
    return 0;
  }
  closeNewFiles();
  const env = command === "--demo" ? demoEnvironment(process.env) : process.env;
  const config = readConfig(env, command === "--demo");
  if (command === "audit") {
    const { runAudit } = await import("#modules/ledger/proof/audit-command.ts");
    return await runAudit(config.database, tell);
  }
  if (mends !== undefined) return await mendCharges(config, mends);
  if (prices !== undefined) return await changePriceList(config, prices);
  if (command === "reset-root-password") {
    const { runRootPassword } = await import("#modules/installation/root-password.ts");
    const hashing = openHashing(startHashingProcess);
    const deps = { hash: hashing.hash, randomText, nowMs: Date.now() };
    const code = await runRootPassword(config.database, deps, rest.length > 0, tell);
    hashing.close();
    return code;
  }
  await serve(config);
  return undefined;
}

/**
 * Lists wrong charges, and gives them back. On SQLite a running gateway holds the balances in memory,
 * so it must be stopped for that.
 */
async function mendCharges(config: Config, mends: MendArguments): Promise<number> {
  const { runMendCharges } = await import("#modules/ledger/mend/mend-command.ts");
  const isAlone = mends.refunds && config.database.dialect === "sqlite";
  const unlock = isAlone ? lockDataDir(config.dataDir) : () => {};
  const hashing = openHashing(startHashingProcess);
  try {
    return await runMendCharges(config.database, mends, {
      print: tell,
      ask: async (question) => {
        process.stderr.write(question);
        for await (const line of console) return line.trim();
        return "";
      },
      verify: hashing.verify,
      secrets: openSecrets(config.secretKey),
      now: Date.now,
    });
  } finally {
    hashing.close();
    unlock();
  }
}

async function changePriceList(config: Config, asked: PricesArguments): Promise<number> {
  const { runPrices } = await import("#modules/pricing/command/prices-command.ts");
  const { catalogueReader } = await import("#modules/pricing/catalogue/open-catalogue.ts");
  return await runPrices(config.database, asked, {
    catalogue: catalogueReader(config.priceCatalogueFile, openLogger(config.logLevel)),
    print: (line) => process.stdout.write(`${line}\n`),
    tell,
    nowMs: Date.now(),
  });
}

/** Gives the demo a data folder of its own, so that it changes nothing in a real installation. */
function demoEnvironment(env: typeof process.env): typeof process.env {
  return { TOLLGATE_DATA_DIR: "./data/demo", ...env };
}

async function serve(config: Config): Promise<void> {
  const { demo } = config;
  const log = openLogger(config.logLevel);
  const running = await start(config, log);
  let closeDemo = async (): Promise<void> => {};
  // Signals are handled before this line is printed, because a program that waits for the line may
  // then send one immediately.
  stopOnSignals(running, () => closeDemo(), tell);
  tell(`Tollgate is at ${running.origin}`);
  if (running.setupLink !== null && !demo) {
    tell(`Set it up within an hour: ${running.setupLink}`);
  }
  for (const warning of running.warnings) {
    tell(warning);
    log.warn(warning);
  }
  if (demo) closeDemo = await startDemo(config, running);
}

/** Number of hex digits of the demo's passwords: 80 bits. They are the same at every start. */
const demoPasswordLength = 20;

/** The account that the calls of the demo's visitors are charged to. */
const visitorsName = "demo-visitor";

/**
 * Creates root and starts the demo upstream.
 *
 * @returns a function that stops the demo upstream.
 */
async function startDemo(
  config: Config,
  { origin, context }: Running,
): Promise<() => Promise<void>> {
  const secrets = openSecrets(config.secretKey);
  const passwordOf = (what: string): string =>
    Buffer.from(secrets.derive(what)).toString("hex").slice(0, demoPasswordLength);
  const root = config.root ?? { username: "root", password: passwordOf("demo root") };
  const { installation, demoCalls } = context;
  if (!(await installation.isSetUp())) await installation.createRoot(root);
  // The demo's code is loaded only with `--demo`.
  const { openDemo } = await import("@tollgate/demo/open-demo.ts");
  const visitors = { username: visitorsName, password: passwordOf("demo visitors") };
  const demo = await openDemo({ origin, root, visitors }, tell);
  if (demo.visitors !== null) demoCalls.open(demo.visitors);
  return demo.stop;
}

/**
 * How long the gateway still takes calls after SIGTERM, in milliseconds. After Ctrl-C it refuses
 * them immediately.
 */
const balancerGraceMs = 5_000;

/**
 * Handles signals: the first one drains the gateway, the second one ends the process immediately.
 */
function stopOnSignals(
  running: Running,
  closeDemo: () => Promise<void>,
  say: (line: string) => void,
): void {
  let stopping = false;
  const stop = async (graceMs: number): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    say("Draining: running calls end first. Send the signal again to stop immediately.");
    try {
      const left = await running.stop(graceMs);
      await closeDemo();
      if (left !== null) say(left);
      process.exit(left === null ? 0 : 1);
    } catch (error) {
      say(explain(error));
      process.exit(1);
    }
  };
  process.on("SIGTERM", () => void stop(balancerGraceMs));
  process.on("SIGINT", () => void stop(0));
}

/**
 * Returns the message of an error for the operator. Errors that an operator can fix become one
 * line; any other error is a bug and keeps its stack.
 */
function explain(error: unknown): string {
  const known = [ConfigError, OwnedElsewhere, SchemaError, SecretError];
  if (error instanceof StoreUnavailable) {
    return `The database (DATABASE_URL) cannot be used: ${error.reason}`;
  }
  if (known.some((kind) => error instanceof kind)) return String(error).replace(/^\w+: /, "");
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
    return `The port is in use: ${error.message}. Set PORT to another one.`;
  }
  return error instanceof Error ? (error.stack ?? String(error)) : String(error);
}

try {
  const code = await main(process.argv.slice(2));
  if (code !== undefined) process.exit(code);
} catch (error) {
  tell(explain(error));
  process.exit(1);
}
