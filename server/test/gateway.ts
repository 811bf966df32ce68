/**
 * Runs the built product as its own process; tests see it from outside, over HTTP and by its exit
 * code. The bundle must be up to date; `npm test` builds it.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Dialect } from "#db/dialect.ts";
import { createPostgresDatabase } from "#db/testing/postgres.ts";

/** A built product: the command that starts it, to which arguments can be added. */
export type Build = { readonly command: readonly string[] };

/** @param runtime path of the Bun that runs the bundle. */
export function bundleBuild(runtime: string, bundle: string): Build {
  return { command: [runtime, "--no-env-file", bundle] };
}

const dist = join(import.meta.dir, "../../dist");
const ownBuild = bundleBuild(process.execPath, join(dist, "server/main.js"));
export const executableBuild: Build = { command: [join(dist, "tollgate")] };

export const rootUser = { username: "root", password: "correct horse battery" } as const;

/** The data folder and the database of a gateway, which outlive its process. */
export type Home = {
  readonly dialect: Dialect;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  /** The build to run; absent: the bundle made from this source tree. */
  readonly build?: Build;
  remove(): Promise<void>;
};

/**
 * Makes the data folder and the database of a gateway.
 * @param parent folder to make it in, such as a small file system for tests that fill it.
 */
export async function makeHome(dialect: Dialect, parent = tmpdir()): Promise<Home> {
  const dataDir = mkdtempSync(join(parent, "tollgate-home-"));
  const base = {
    TOLLGATE_DATA_DIR: dataDir,
    TOLLGATE_ROOT_USERNAME: rootUser.username,
    TOLLGATE_ROOT_PASSWORD: rootUser.password,
    TOLLGATE_LOG: "warn",
  };
  const removeFolder = (): void => rmSync(dataDir, { recursive: true, force: true });
  if (dialect === "sqlite") {
    return { dialect, dataDir, env: base, remove: async () => removeFolder() };
  }
  const { url, drop } = await createPostgresDatabase();
  const env = { ...base, DATABASE_URL: url, TOLLGATE_SECRET_KEY: "0123456789abcdef".repeat(4) };
  const remove = async (): Promise<void> => {
    removeFolder();
    await drop();
  };
  return { dialect, dataDir, env, remove };
}

export type Gateway = {
  readonly origin: string;
  readonly pid: number;
  /** Everything that the process has printed so far, on both streams. */
  output(): string;
  /** Sends SIGTERM and waits. @returns the exit code. SIGINT skips the delay for load balancers. */
  stop(signal?: "SIGINT" | "SIGTERM"): Promise<number>;
  /** Sends SIGKILL and waits until the process has ended. */
  kill(): Promise<void>;
  readonly exited: Promise<number>;
};

/** Environment variables for a gateway's process; undefined removes a variable. */
export type Settings = Readonly<Record<string, string | undefined>>;

/** The longest a start may take before the test fails. */
const startMaxMs = 120_000;

export async function startGateway(
  home: Home,
  options: {
    readonly args?: readonly string[];
    readonly env?: Settings;
    readonly port?: number;
  } = {},
): Promise<Gateway> {
  const { command } = home.build ?? ownBuild;
  const child = Bun.spawn([...command, ...(options.args ?? [])], {
    env: { ...inherited(), PORT: String(options.port ?? 0), ...home.env, ...options.env },
    stdout: "pipe",
    stderr: "pipe",
  });
  let output = "";
  const found = Promise.withResolvers<string>();
  const read = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      output = (output + decoder.decode(chunk, { stream: true })).slice(-1_000_000);
      const address = /Tollgate is at (http:\/\/\S+)/.exec(output)?.[1];
      if (address !== undefined) found.resolve(address);
    }
  };
  void read(child.stdout);
  void read(child.stderr);
  void child.exited.then((code) => found.reject(new Error(`exited with ${code}: ${output}`)));
  const late = setTimeout(() => found.reject(new Error(`did not start: ${output}`)), startMaxMs);
  const origin = await found.promise.finally(() => clearTimeout(late));
  return {
    origin,
    pid: child.pid,
    output: () => output,
    exited: child.exited,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      return await child.exited;
    },
    async kill() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/**
 * Keeps of this process's environment only what every program needs, so that no setting of the
 * product gets in.
 */
function inherited(): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of ["HOME", "PATH", "TMPDIR"]) {
    const value = process.env[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

/** Runs the product's command line to its end. */
export async function runCommand(
  home: Home,
  args: readonly string[],
  env: Settings = {},
): Promise<{ readonly code: number; readonly output: string }> {
  const { command } = home.build ?? ownBuild;
  const child = Bun.spawn([...command, ...args], {
    env: { ...inherited(), ...home.env, ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, output: out + err };
}
