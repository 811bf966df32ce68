/**
 * Runs the built product as its own process; tests see it from outside, over HTTP and by its exit
 * code. The executable must be up to date; `npm test` builds it.
 */

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Dialect } from "#db/dialect.ts";
import { createPostgresDatabase } from "#db/testing/postgres.ts";

/** A built product: the command that starts it, to which arguments can be added. */
export type Build = { readonly command: readonly string[] };

const dist = join(import.meta.dir, "../../dist");
/** The executable that `npm test` has built. */
export const executable = join(dist, "tollgate");
const ownBuild: Build = { command: [executable] };

export const rootUser = { username: "root", password: "correct horse battery" } as const;

/** The data folder and the database of a gateway, which outlive its process. */
export type Home = {
  readonly dialect: Dialect;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  /** The build to run; absent: the one made from this source tree. */
  readonly build?: Build;
  remove(): Promise<void>;
};

/**
 * Makes the data folder and the database of a gateway.
 * @param parent folder to make it in, such as a small file system for tests that fill it.
 */
export async function makeHome(dialect: Dialect, parent = tmpdir()): Promise<Home> {
  if (dialect === "sqlite") return homeIn(mkdtempSync(join(parent, prefix)));
  return homeOn(await createPostgresDatabase(), parent);
}

/**
 * Makes a home on which the gateway has been started once: its tables and the root account are
 * there. Only one start makes them; each home is a copy, which takes a fifth of the time of a first
 * start.
 */
export async function makeStartedHome(dialect: Dialect, parent = tmpdir()): Promise<Home> {
  if (dialect === "sqlite") {
    const home = homeIn(mkdtempSync(join(parent, prefix)));
    cpSync(await startedFolder(), home.dataDir, { recursive: true });
    return home;
  }
  const startOnce = async (url: string): Promise<void> => {
    const home = homeOn({ url, drop: async () => {} }, tmpdir());
    await startAndStop(home);
    await home.remove();
  };
  return homeOn(await createPostgresDatabase(startOnce, buildState()), parent);
}

const prefix = "tollgate-home-";

function homeIn(dataDir: string): Home {
  const env = {
    TOLLGATE_DATA_DIR: dataDir,
    TOLLGATE_ROOT_USERNAME: rootUser.username,
    TOLLGATE_ROOT_PASSWORD: rootUser.password,
    TOLLGATE_LOG: "warn",
  };
  const remove = async (): Promise<void> => rmSync(dataDir, { recursive: true, force: true });
  return { dialect: "sqlite", dataDir, env, remove };
}

type OwnDatabase = { readonly url: string; drop(): Promise<void> };

function homeOn({ url, drop }: OwnDatabase, parent: string): Home {
  const home = homeIn(mkdtempSync(join(parent, prefix)));
  const key = "0123456789abcdef".repeat(4);
  return {
    ...home,
    dialect: "postgres",
    env: { ...home.env, DATABASE_URL: url, TOLLGATE_SECRET_KEY: key },
    async remove() {
      await home.remove();
      await drop();
    },
  };
}

async function startAndStop(home: Home): Promise<void> {
  const gateway = await startGateway(home);
  const code = await gateway.stop("SIGINT");
  if (code !== 0) throw new Error(`the first start ended with ${code}: ${gateway.output()}`);
}

/** Makes the data folder that started homes on SQLite are copied from, once for a build. */
async function startedFolder(): Promise<string> {
  const folders = join(dist, "started-homes");
  const build = buildState();
  const folder = join(folders, build);
  if (existsSync(folder)) return folder;
  mkdirSync(folders, { recursive: true });
  const home = homeIn(mkdtempSync(join(folders, prefix)));
  await startAndStop(home);
  // Both are about the process that has ended.
  for (const name of ["owner.lock", "owner.pid"]) rmSync(join(home.dataDir, name), { force: true });
  const ofOthers = readdirSync(folders).filter(
    (name) => ![prefix, build].some((one) => name.startsWith(one)),
  );
  for (const name of ofOthers) rmSync(join(folders, name), { recursive: true, force: true });
  try {
    // Under its name the folder is always complete.
    renameSync(home.dataDir, folder);
  } catch {
    // Another process was faster.
    await home.remove();
  }
  return folder;
}

/** Identifies the build by size and time of the executable. */
function buildState(): string {
  const { size, mtimeMs } = statSync(executable);
  return `${size.toString(36)}-${Math.round(mtimeMs).toString(36)}`;
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
  typed = "",
): Promise<{ readonly code: number; readonly output: string }> {
  const { command } = home.build ?? ownBuild;
  const child = Bun.spawn([...command, ...args], {
    env: { ...inherited(), ...home.env, ...env },
    stdin: new Blob([typed]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, output: out + err };
}
