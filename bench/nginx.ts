/**
 * nginx as a plain reverse proxy in front of the upstream: the least that a proxy costs. For the
 * cases over TLS another nginx makes the upstream's TLS, and a third one is the proxy to that.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type Nginx = {
  /** Version of nginx, such as `nginx/1.22.1`. */
  readonly version: string;
  readonly port: number;
  /**
   * The port of nginx with `proxy_buffering off`, for streams; with buffering it would hold events
   * back.
   */
  readonly streamPort: number;
  readonly pid: number;
  stop(): Promise<void>;
};

/** What nginx does with TLS. `none`: nothing. `sends`: it calls its upstream over TLS. */
type Tls =
  | "none"
  | "sends"
  /** It takes calls over TLS with this certificate. */
  | { readonly certificateFile: string; readonly keyFile: string };

const startMaxMs = 10_000;

/**
 * Starts nginx as a proxy in front of the upstream, with a configuration of its own in a temporary
 * folder.
 * @param program path of the binary.
 * @param upstreamPort on 127.0.0.1.
 */
export async function startNginx(
  program: string,
  upstreamPort: number,
  tls: Tls = "none",
): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-bench-nginx-"));
  mkdirSync(join(folder, "logs"));
  const port = freePort();
  const streamPort = freePort();
  const file = join(folder, "nginx.conf");
  writeFileSync(file, configuration({ folder, port, streamPort, upstreamPort, tls }));
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
    const scheme = typeof tls === "object" ? "https" : "http";
    await Promise.race([listening(`${scheme}://127.0.0.1:${port}/healthz`), died(child)]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { version: versionOf(program), port, streamPort, pid: child.pid, stop };
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

function versionOf(program: string): string {
  const { stderr } = Bun.spawnSync([program, "-v"]);
  return /nginx\/\S+/.exec(stderr.toString())?.[0] ?? "nginx";
}

function freePort(): number {
  const probe = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = probe;
  probe.stop(true);
  return port;
}

type Places = {
  readonly folder: string;
  readonly port: number;
  readonly streamPort: number;
  readonly upstreamPort: number;
  readonly tls: Tls;
};

/**
 * Returns nginx's configuration file: one process, keep-alive on both sides, and bodies kept in
 * memory, never in a file.
 */
function configuration({ folder, port, streamPort, upstreamPort, tls }: Places): string {
  const certificate =
    typeof tls === "string"
      ? ""
      : `
  ssl_certificate ${tls.certificateFile};
  ssl_certificate_key ${tls.keyFile};
  ssl_session_cache shared:tls:1m;`;
  const listens = `backlog=4096${typeof tls === "string" ? "" : " ssl"}`;
  const proxy = `
      proxy_pass ${tls === "sends" ? "https" : "http"}://upstream;
      proxy_http_version 1.1;
      proxy_set_header Connection "";`;
  return `
${process.getuid?.() === 0 ? "user root;" : ""}
master_process off;
pid ${folder}/nginx.pid;
error_log stderr crit;
events { worker_connections 8192; }
http {
  access_log off;
  keepalive_requests 1000000000;
  client_max_body_size 16m;
  client_body_buffer_size 1m;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;${certificate}
  upstream upstream {
    server 127.0.0.1:${upstreamPort};
    keepalive 2048;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${port} ${listens};
    location = /healthz { return 200 "ok\\n"; }
    location / {${proxy}
    }
  }
  server {
    listen 127.0.0.1:${streamPort} ${listens};
    location / {${proxy}
      proxy_buffering off;
    }
  }
}
`;
}
