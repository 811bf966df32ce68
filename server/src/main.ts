/** The process: reads the command line and the environment, starts and stops the gateway. */

import { type Command, helpOf, readCommand } from "#startup/command-line.ts";
import type { ImportArguments } from "#commands/import/import-arguments.ts";
import { type Config, readConfig } from "./config.ts";
import { explainFailure } from "#startup/failed-start.ts";
import { type Running, start } from "./start.ts";
import { type Logger, openLogger } from "#base/logger.ts";
import { openSecrets, randomText } from "#base/secrets.ts";
import { closeNewFiles } from "#db/data-folder.ts";
import { lockDataDir } from "#db/owner-lock.ts";
import { type MendArguments, readMendArguments } from "#modules/ledger/mend/mend-arguments.ts";
import {
  type PricesArguments,
  readPricesArguments,
} from "#modules/pricing/command/prices-arguments.ts";
import { startHashingProcess } from "./threads.ts";
import { openHashing } from "#workers/hashing-client.ts";
import { fullVersion } from "#startup/version.ts";

/** Prints a line for the operator to standard error. Log lines go to standard output as JSON. */
function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** What the program was started with, for the line that says why it failed. */
let started: Config | null = null;

async function main(args: readonly string[]): Promise<number | undefined> {
  const command = readCommand(args, fullVersion);
  if (command === undefined) {
    tell(`Unknown command line: ${args.join(" ")}\n\n${helpOf(args[0] ?? "")}`);
    return 2;
  }
  if (command.name === "show") {
    process.stdout.write(command.text);
    return 0;
  }
  closeNewFiles();
  if (command.name === "configuration") {
    const { runConfigurationCommand } = await import("#commands/configuration.ts");
    return await runConfigurationCommand(command, (config) => void (started = config), tell);
  }
  if (command.name === "health") {
    const { runHealth } = await import("#commands/health.ts");
    return await runHealth(process.env, tell);
  }
  if (command.name === "doctor") {
    const { runDoctor } = await import("#commands/doctor/doctor.ts");
    const print = (line: string): void => void process.stdout.write(`${line}\n`);
    return await runDoctor(command.asJson, { env: process.env, print });
  }
  const isDemo = command.name === "run" && command.demo;
  const env = isDemo ? demoEnvironment(process.env) : process.env;
  const config = readConfig(env, isDemo, purposeOf(command));
  started = config;
  return await run(command, config);
}

function purposeOf({ name }: Command): "read" | "restore" | "run" {
  return name === "run" || name === "restore" ? name : "read";
}

/** @returns the exit code; undefined: the gateway runs. */
async function run(
  command: Exclude<Command, { readonly name: "configuration" | "doctor" | "health" | "show" }>,
  config: Config,
): Promise<number | undefined> {
  switch (command.name) {
    case "audit": {
      const { runAudit } = await import("#modules/proof/audit-command.ts");
      const { wrongKey } = await import("#modules/installation/key-check.ts");
      const { fingerprint } = openSecrets(config.secretKey);
      return await runAudit(config.database, tell, async (db) => await wrongKey(db, fingerprint));
    }
    case "backup": {
      const { runBackup } = await import("#commands/backup.ts");
      return await runBackup(config, command.file, tell);
    }
    case "restore": {
      const { runRestore } = await import("#commands/backup.ts");
      return await runRestore(config, command.file, tell);
    }
    case "export-data":
      return await exportData(config, command.hasSecrets);
    case "import": {
      const { readImportArguments } = await import("#commands/import/import-arguments.ts");
      const asked = readImportArguments(command.rest);
      if (asked !== undefined) return await importFrom(config, asked);
      tell(`${command.name} cannot be run like this.\n\n${helpOf(command.name)}`);
      return 2;
    }
    case "mend-charges": {
      const mends = readMendArguments(command.rest);
      if (mends !== undefined) return await mendCharges(config, mends);
      tell(`${command.name} cannot be run like this.\n\n${helpOf(command.name)}`);
      return 2;
    }
    case "bill": {
      const { readBillArguments } = await import("#modules/bills/command/bill-arguments.ts");
      const { runBill } = await import("#modules/bills/command/bill-command.ts");
      const asked = readBillArguments(command.rest);
      const print = (text: string): void => void process.stdout.write(text);
      if (asked !== undefined) return await runBill(config.database, asked, { print, tell });
      tell(`${command.name} cannot be run like this.\n\n${helpOf(command.name)}`);
      return 2;
    }
    case "prices": {
      const asked = readPricesArguments(command.rest);
      if (asked !== undefined) return await changePriceList(config, asked);
      tell(`${command.name} cannot be run like this.\n\n${helpOf(command.name)}`);
      return 2;
    }
    case "reset-root-password": {
      const { runRootPassword } = await import("#modules/installation/root-password.ts");
      const hashing = openHashing(startHashingProcess);
      const deps = { hash: hashing.hash, randomText, nowMs: Date.now() };
      const { removesSecondFactor } = command;
      const code = await runRootPassword(config.database, deps, removesSecondFactor, tell);
      hashing.close();
      return code;
    }
    case "run":
      await serve(config);
      return undefined;
  }
}

/**
 * Brings another gateway's users here. On SQLite a running gateway holds the balances in memory, so
 * it must be stopped for that.
 */
async function importFrom(config: Config, asked: ImportArguments): Promise<number> {
  const { runImport } = await import("#commands/import/import-command.ts");
  const { wrongKey } = await import("#modules/installation/key-check.ts");
  const { openAddressPolicy } = await import("#base/address-policy.ts");
  const secrets = openSecrets(config.secretKey);
  const isAlone = asked.verb !== "dry-run" && config.database.dialect === "sqlite";
  const unlock = isAlone ? lockDataDir(config.dataDir) : () => {};
  const never = async (): Promise<boolean> => await Promise.resolve(false);
  try {
    return await runImport(config.database, asked, {
      secrets,
      policy: openAddressPolicy({
        privateRanges: config.privateUpstreams,
        loopback: config.hostIsLoopback,
      }),
      wrongKey: async (db) => await wrongKey(db, secrets.fingerprint),
      readSecret: (name) => process.env[name],
      pause: asked.verb === "follow" ? openPauses() : never,
      print: (line) => process.stdout.write(`${line}\n`),
      tell,
      now: Date.now,
    });
  } finally {
    unlock();
  }
}

/** Writes what another gateway would need to the standard output. */
async function exportData(config: Config, hasSecrets: boolean): Promise<number> {
  const { runExportData } = await import("#commands/export-data/export-data.ts");
  const { wrongKey } = await import("#modules/installation/key-check.ts");
  const secrets = openSecrets(config.secretKey);
  const hashing = openHashing(startHashingProcess);
  try {
    return await runExportData(
      config.database,
      { hasSecrets },
      {
        secrets,
        wrongKey: async (db) => await wrongKey(db, secrets.fingerprint),
        ask: askOperator,
        verify: hashing.verify,
        print: (line) => process.stdout.write(`${line}\n`),
        tell,
        version: fullVersion,
        now: Date.now,
      },
    );
  } finally {
    hashing.close();
  }
}

/** Asks on the standard error, and reads the next line that is typed. */
async function askOperator(question: string): Promise<string> {
  process.stderr.write(question);
  answers ??= console[Symbol.asyncIterator]();
  const { value, done } = await answers.next();
  return done === true ? "" : String(value).trim();
}

/** The lines of the standard input, which is read once for all questions. */
let answers: AsyncIterator<string> | undefined;

/**
 * Makes the pauses between the rounds of a program that runs until it is told to stop: then the round
 * that runs is the last. A second signal ends the program at once.
 *
 * @returns a function that answers whether the time has passed; false: the program is to end.
 */
function openPauses(): (seconds: number) => Promise<boolean> {
  const { promise: stopped, resolve } = Promise.withResolvers<false>();
  const stop = (): void => {
    tell("Stops after this round. Send the signal again to stop at once.");
    resolve(false);
  };
  for (const signal of stopSignals) process.once(signal, stop);
  return async (seconds) => {
    const { promise: over, resolve: end } = Promise.withResolvers<true>();
    const timer = setTimeout(() => end(true), seconds * 1_000);
    const answer = await Promise.race([stopped, over]);
    clearTimeout(timer);
    return answer;
  };
}

const stopSignals = ["SIGINT", "SIGTERM"] as const;

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
      ask: askOperator,
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
    catalogueFile: config.priceCatalogueFile,
    openTransport: async () => (await import("./modules.ts")).openNetworkOf(config).transport,
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
  // So may it call with the demo's key, which is printed before the line.
  if (demo) closeDemo = await startDemo(config, running, log);
  tell(`Tollgate is at ${running.origin} (version ${fullVersion})`);
  if (running.setupLink !== null && !demo) {
    tell(`Set it up within an hour: ${running.setupLink}`);
  }
  for (const warning of running.warnings) tell(warning);
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
  log: Logger,
): Promise<() => Promise<void>> {
  const secrets = openSecrets(config.secretKey);
  const passwordOf = (what: string): string =>
    Buffer.from(secrets.derive(what)).toString("hex").slice(0, demoPasswordLength);
  const root = config.root ?? { username: "root", password: passwordOf("demo root") };
  const { installation, demoCalls, history } = context;
  if (!(await installation.isSetUp())) await installation.createRoot(root);
  // The demo's code is loaded only with `--demo`.
  const { openDemo } = await import("@tollgate/demo/open-demo.ts");
  const visitors = { username: visitorsName, password: passwordOf("demo visitors") };
  const demo = await openDemo({ origin, root, visitors }, tell);
  if (demo.visitors !== null) demoCalls.open(demo.visitors);
  // Root's password is the demo's own only where the demo has made root: what belongs to somebody
  // is shown to nobody, and gets no made-up calls.
  if (config.root !== null || demo.rootId === null) return demo.stop;
  demoCalls.offerTours({ userId: demo.rootId, username: root.username });
  const { writeHistory } = await import("#commands/demo-history/write-history.ts");
  // Who stops the gateway does not wait for made-up calls: what is missing then stays missing.
  let isStopping = false;
  const end = (): void => void (isStopping = true);
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, end);
  writeHistory(history, demo.channels, Date.now(), () => !isStopping).then(
    (count) => {
      if (count === 0 || isStopping) return;
      tell(`The log has ${count} made-up calls of 30 days, by users named demo-…`);
    },
    (error: unknown) => {
      if (!isStopping) log.error({ err: error }, "the made-up calls could not be written");
    },
  );
  return demo.stop;
}

/**
 * How long the gateway still takes calls after SIGTERM, in milliseconds. After Ctrl-C it refuses
 * them immediately.
 */
const balancerGraceMs = 5_000;

/**
 * Signals that other programs take as "read the settings again" or "open the log files again", and
 * that a terminal sends when it is closed. Without a handler each would end all streams at once.
 */
const ignoredSignals = ["SIGHUP", "SIGUSR1", "SIGUSR2"] as const;

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
      say(explainFailure(error, started));
      process.exit(1);
    }
  };
  for (const signal of ignoredSignals) {
    process.on(signal, () => say(`${signal} is ignored; SIGTERM stops the gateway.`));
  }
  process.on("SIGTERM", () => void stop(balancerGraceMs));
  process.on("SIGINT", () => void stop(0));
}

/** Resolves when what was printed has reached a pipe, too: an exit would cut it off. */
async function allPrinted(): Promise<void> {
  await new Promise<void>((resolve) => process.stdout.end(() => resolve()));
}

try {
  const code = await main(process.argv.slice(2));
  if (code !== undefined) {
    await allPrinted();
    process.exit(code);
  }
} catch (error) {
  tell(explainFailure(error, started));
  process.exit(1);
}
