/**
 * nginx as a plain reverse proxy in front of the upstream: the least that a proxy costs. For the
 * cases over TLS another nginx makes the upstream's TLS, and a third one is the proxy to that.
 */

import { freePort, ownFiles, runNginx } from "@tollgate/server/test/nginx.ts";

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
  const port = freePort();
  const streamPort = freePort();
  const scheme = typeof tls === "object" ? "https" : "http";
  const running = await runNginx(program, `${scheme}://127.0.0.1:${port}/healthz`, (folder) =>
    configuration({ folder, port, streamPort, upstreamPort, tls }),
  );
  return { version: versionOf(program), port, streamPort, ...running };
}

function versionOf(program: string): string {
  const { stderr } = Bun.spawnSync([program, "-v"]);
  return /nginx\/\S+/.exec(stderr.toString())?.[0] ?? "nginx";
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
  const own = ownFiles(folder);
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
${own.main}
events { worker_connections 8192; }
http {
  ${own.http}${certificate}
  keepalive_requests 1000000000;
  client_max_body_size 16m;
  client_body_buffer_size 1m;
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
