/** An upstream that is called over TLS, and nginx as a proxy in front of it. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeAuthority } from "@tollgate/server/src/network/testing/certificates.ts";
import { type Nginx, startNginx } from "#bench/nginx.ts";

export type TlsSite = {
  /** The address of the upstream. */
  readonly url: string;
  /** A file with the certificate of the authority that the upstream's certificate is from. */
  readonly authorityFile: string;
  /** The proxy that is measured. */
  readonly nginx: Nginx;
  stop(): Promise<void>;
};

/** The name in the upstream's certificate. */
const host = "localhost";

/**
 * Puts an nginx in front of the upstream that makes its TLS, so that what TLS costs the upstream is
 * the same for all.
 */
export async function startTlsSite(program: string, upstreamPort: number): Promise<TlsSite> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-bench-tls-"));
  const authorityFile = join(folder, "authority.pem");
  const certificateFile = join(folder, "certificate.pem");
  const keyFile = join(folder, "key.pem");
  const { ca, issue } = makeAuthority();
  const { key, cert } = issue(host);
  writeFileSync(authorityFile, ca);
  writeFileSync(certificateFile, cert);
  writeFileSync(keyFile, key);
  const upstream = await startNginx(program, upstreamPort, { certificateFile, keyFile });
  // Its answers are not buffered, so it suits streams and whole answers.
  const port = upstream.streamPort;
  const nginx = await startNginx(program, port, "sends");
  return {
    url: `https://${host}:${port}`,
    authorityFile,
    nginx,
    async stop() {
      await Promise.all([nginx.stop(), upstream.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
