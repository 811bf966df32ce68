/** The process: command line, environment, start, and the way down. */

import { runAudit } from "./audit-command.ts";
import { type Config, ConfigError, readConfig } from "./config.ts";
import { openDemo } from "./demo-start.ts";
import { type Running, start } from "./start.ts";
import { openLogger } from "#base/logger.ts";
import { SecretError } from "#base/secrets.ts";
import { SchemaError } from "#db/migrator.ts";
import { OwnedElsewhere } from "#db/owner-lock.ts";

const usage = `tollgate            run the gateway
tollgate --demo     the same, with a scripted demo upstream ready to be called
tollgate audit      prove the books; exit code 1 and the first row that does not fit otherwise
tollgate --help     this text

Settings come from the environment; README.md lists them.
`;

/** What a person is told; log lines go to standard output, as JSON. */
function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function main(args: readonly string[]): Promise<number | undefined> {
  const [command = "", ...rest] = args;
  if (rest.length > 0 || !["", "--demo", "--help", "audit"].includes(command)) {
    tell(`Unknown command line: ${args.join(" ")}\n\n${usage}`);
    return 2;
  }
  if (command === "--help") {
    process.stdout.write(usage);
    return 0;
  }
  const env = command === "--demo" ? demoEnvironment(process.env) : process.env;
  const config = readConfig(env);
  if (command === "audit") return await runAudit(config, (line) => tell(line));
  await serve(config, command === "--demo");
  return undefined;
}

/** The demo keeps to a folder of its own, so that nothing of it stays in a real installation. */
function demoEnvironment(env: typeof process.env): typeof process.env {
  return { TOLLGATE_DATA_DIR: "./data/demo", ...env };
}

async function serve(config: Config, demo: boolean): Promise<void> {
  const log = openLogger(config.logLevel);
  const running = await start(config, log);
  let closeDemo = async (): Promise<void> => {};
  // Before anybody is told that it runs: who knows may stop it.
  stopOnSignals(running, () => closeDemo(), tell);
  tell(`Tollgate is at ${running.origin}`);
  if (running.setupLink !== null && !demo) {
    tell(`Set it up within an hour: ${running.setupLink}`);
  }
  if (!config.hostIsLoopback && config.plainHttp) {
    tell("Warning: sign-in cookies travel over plain HTTP. Put TLS in front of it.");
  }
  if (demo) closeDemo = await openDemo(config, running, tell);
}

/** How long a gateway that is told to end goes on listening; whoever types Ctrl-C does not wait. */
const balancerGraceMs = 5_000;

/** The first signal drains; the second one ends the process at once. */
function stopOnSignals(
  running: Running,
  closeDemo: () => Promise<void>,
  say: (line: string) => void,
): void {
  let stopping = false;
  const stop = async (graceMs: number): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    say("Draining: running calls end first. Once more to stop at once.");
    await running.stop(graceMs);
    await closeDemo();
    process.exit(0);
  };
  process.on("SIGTERM", () => void stop(balancerGraceMs));
  process.on("SIGINT", () => void stop(0));
}

/** Things an operator can mend get one line; anything else is a bug and shows where. */
function explain(error: unknown): string {
  const known = [ConfigError, OwnedElsewhere, SchemaError, SecretError];
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
