/**
 * nginx and Caddy as child processes with a configuration of the caller's, for tests and the
 * benchmark.
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

type RunningProxy = {
  readonly pid: number;
  stop(): Promise<void>;
};

const startMaxMs = 10_000;

/**
 * Starts nginx and waits until `url` answers 200.
 *
 * @param program path of the binary.
 * @param configure writes the configuration; gets a temporary folder for nginx's files.
 */
export async function runNginx(
  program: string,
  url: string,
  configure: (folder: string) => string,
): Promise<RunningProxy> {
  return await run(url, (folder) => {
    const file = join(folder, "nginx.conf");
    writeFileSync(file, configure(folder));
    return [program, "-p", folder, "-c", file, "-e", "stderr", "-g", "daemon off;"];
  });
}

/**
 * Starts Caddy and waits until `url` answers 200.
 *
 * @param program path of the binary.
 * @param sites the configuration without its global part.
 */
export async function runCaddy(program: string, url: string, sites: string): Promise<RunningProxy> {
  return await run(url, (folder) => {
    const file = join(folder, "Caddyfile");
    writeFileSync(
      file,
      `{\n\tadmin off\n\tauto_https off\n\tstorage file_system ${folder}\n}\n${sites}\n`,
    );
    return [program, "run", "--config", file, "--adapter", "caddyfile"];
  });
}

/** Starts the command that `prepare` makes in a temporary folder. */
async function run(url: string, prepare: (folder: string) => string[]): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-proxy-"));
  mkdirSync(join(folder, "logs"));
  const child = Bun.spawn(prepare(folder), { stdout: "ignore", stderr: "pipe" });
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await child.exited;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.race([listening(url), died(child)]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: child.pid, stop };
}

async function died(child: Bun.Subprocess<"ignore", "ignore", "pipe">): Promise<never> {
  const text = await new Response(child.stderr).text();
  throw new Error(`the proxy ended with ${await child.exited}: ${text}`);
}

async function listening(url: string): Promise<void> {
  const endMs = performance.now() + startMaxMs;
  for (;;) {
    const answer = await fetch(url, { tls: { rejectUnauthorized: false } }).catch(() => null);
    if (answer?.status === 200) return;
    if (performance.now() > endMs) throw new Error("the proxy did not start");
    await Bun.sleep(20);
  }
}

/** Returns a port of 127.0.0.1 that nobody listens on. */
export function freePort(): number {
  const probe = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = probe;
  probe.stop(true);
  return port;
}

/** Returns the lines of a configuration that keep nginx in one process and its files in `folder`. */
export function ownFiles(folder: string): { readonly main: string; readonly http: string } {
  return {
    main: `${process.getuid?.() === 0 ? "user root;" : ""}
master_process off;
pid ${folder}/nginx.pid;
error_log stderr crit;`,
    http: `access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;`,
  };
}

const guide = readFileSync(join(import.meta.dir, "../../docs/operate/reverse-proxy.md"), "utf8");

/**
 * Returns a block of the guide for reverse proxies, such as `location / {…}`.
 *
 * @param head a regular expression of what stands before its brace.
 * @param after a text of the guide after which the block stands.
 */
export function guideBlock(head: string, after = ""): string {
  const found = new RegExp(String.raw`^(\s*)${head} \{\n[^]*?\n\1\}`, "m").exec(
    guide.slice(Math.max(0, guide.indexOf(after))),
  );
  if (found === null) throw new Error(`the guide has no ${head}`);
  return found[0];
}
