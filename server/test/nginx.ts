/** nginx as a child process with a configuration of the caller's, for tests and the benchmark. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

type RunningNginx = {
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
): Promise<RunningNginx> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-nginx-"));
  mkdirSync(join(folder, "logs"));
  const file = join(folder, "nginx.conf");
  writeFileSync(file, configure(folder));
  const child = Bun.spawn(
    [program, "-p", folder, "-c", file, "-e", "stderr", "-g", "daemon off;"],
    {
      stdout: "ignore",
      stderr: "pipe",
    },
  );
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
  throw new Error(`nginx ended with ${await child.exited}: ${text}`);
}

async function listening(url: string): Promise<void> {
  const endMs = performance.now() + startMaxMs;
  for (;;) {
    const answer = await fetch(url, { tls: { rejectUnauthorized: false } }).catch(() => null);
    if (answer?.status === 200) return;
    if (performance.now() > endMs) throw new Error("nginx did not start");
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
