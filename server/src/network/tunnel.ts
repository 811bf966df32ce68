/**
 * Connections through a proxy. They are streams of `node:net` and `node:tls`, because `Bun.connect`
 * cannot speak TLS inside TLS. The proxy gets the target's host and makes the connection to it.
 */

import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { type CertificateFault, certificateFault } from "./certificate-fault.ts";
import { basicCredentials, type Proxy } from "./proxy.ts";
import { askSocks } from "./socks.ts";

/** Where a tunnel leads. */
export type Tunnel = {
  readonly proxy: Proxy;
  /** Name or address of the target, as the proxy is told it; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /**
   * Whether the proxy passes requests on instead of bytes: as HTTP proxies do for `http` targets.
   */
  readonly isForwarded: boolean;
};

/** Why a tunnel was not opened. */
export type TunnelFailure =
  | CertificateFault
  /** The proxy wants other credentials. */
  | "proxy-credentials"
  /** No connection to the proxy could be made, or it does not speak its protocol. */
  | "proxy-failed"
  /** The proxy did not connect to the target. */
  | "proxy-refused"
  | "tls-failed";

type TunnelEvents = {
  opened(): void;
  failed(failure: TunnelFailure): void;
  data(bytes: Buffer): void;
  /** More bytes can be written. */
  drained(): void;
  /** The other side has sent everything. */
  ended(): void;
  closed(): void;
};

/** The part of a socket that a connection uses. */
export type Wire = {
  write(bytes: Buffer, offset?: number, length?: number): number;
  pause(): void;
  resume(): void;
  terminate(): void;
};

type TunnelGiven = {
  readonly tunnel: Tunnel;
  /** Address and port of the proxy. */
  readonly address: string;
  readonly port: number;
  /** The target's name for TLS with it; null: no TLS. */
  readonly serverName: string | null;
  readonly ca: string | undefined;
};

/** How many bytes may wait to be sent, besides those of the last write. */
const writtenBytesMax = 256 * 1024;

/** Opens a tunnel. Either `opened` or `failed` is called, and nothing after `failed`. */
export function openTunnel(given: TunnelGiven, events: TunnelEvents): Wire {
  const { address, ca, port, serverName, tunnel } = given;
  const { proxy } = tunnel;
  let socket: Socket;
  let isOpen = false;
  let isOver = false;
  const fail = (failure: TunnelFailure): void => {
    if (isOver) return;
    isOver = true;
    socket.destroy();
    if (isOpen) events.closed();
    else events.failed(failure);
  };
  const opened = (): void => {
    isOpen = true;
    // Copied, because the caller frees the memory of what it is given.
    socket.on("data", (bytes: Buffer) => events.data(Buffer.from(new Uint8Array(bytes).buffer)));
    socket.on("drain", events.drained);
    socket.on("end", events.ended);
    events.opened();
  };
  const watch = (watched: Socket, failureOf: (error: unknown) => TunnelFailure): void => {
    watched.on("error", (error: unknown) => fail(failureOf(error)));
    watched.on("close", () => fail("proxy-failed"));
  };
  const reached = (failure: TunnelFailure | null): void => {
    if (failure !== null || isOver) fail(failure ?? "proxy-failed");
    else if (serverName === null) opened();
    else {
      const options = { socket, ...tlsOptions(serverName, ca) };
      socket = connectTls(options, opened);
      watch(socket, tlsFailure);
    }
  };
  const ready = (): void => {
    if (tunnel.isForwarded) reached(null);
    else if (proxy.scheme === "socks5") askSocks(socket, tunnel, reached);
    else askHttp(socket, tunnel, reached);
  };
  socket =
    proxy.scheme === "https"
      ? connectTls({ host: address, port, ...tlsOptions(bare(proxy.host), ca) }, ready)
      : connectTcp({ host: address, port }, ready);
  watch(socket, () => "proxy-failed");
  return {
    write(bytes, offset = 0, length = bytes.length - offset) {
      if (socket.writableLength >= writtenBytesMax) return 0;
      // Copied, because the caller uses its memory again at once.
      socket.write(Buffer.from(bytes.subarray(offset, offset + length)));
      return length;
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    terminate() {
      isOver = true;
      socket.destroy();
    },
  };
}

function tlsOptions(name: string, ca: string | undefined) {
  return {
    ...(isIP(name) === 0 ? { servername: name } : { host: name }),
    ...(ca === undefined ? {} : { ca }),
    rejectUnauthorized: true,
  };
}

function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}

function tlsFailure(error: unknown): TunnelFailure {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ECONNRESET" || code === "EPIPE") return "proxy-refused";
  const isProtocol = code === "EPROTO" || code.startsWith("ERR_SSL");
  return isProtocol ? "tls-failed" : certificateFault(code);
}

/** The largest head of a proxy's answer, in bytes. */
const headBytesMax = 16 * 1024;

/** Asks an HTTP proxy to connect to the target (RFC 9110, section 9.3.6). */
function askHttp(
  socket: Socket,
  { proxy, host, port }: Tunnel,
  reached: (failure: TunnelFailure | null) => void,
): void {
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const credentials = basicCredentials(proxy);
  const field = credentials === null ? "" : `proxy-authorization: ${credentials}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${field}\r\n`);
  let head = "";
  const read = (bytes: Buffer): void => {
    head += bytes.toString("latin1");
    const end = head.indexOf("\r\n\r\n");
    if (end < 0 && head.length <= headBytesMax) return;
    socket.off("data", read);
    const status = /^HTTP\/1\.[01] (\d{3})(?: |\r)/.exec(head)?.[1] ?? "";
    // Nothing may follow: the target speaks only when it is spoken to.
    const isTidy = end >= 0 && end + 4 === head.length;
    if (status === "407") reached("proxy-credentials");
    else if (!status.startsWith("2")) reached(status === "" ? "proxy-failed" : "proxy-refused");
    else reached(isTidy ? null : "proxy-failed");
  };
  socket.on("data", read);
}
