/**
 * The socket: one port for the relay, the console and what operators watch. Paths are told apart
 * here and nowhere else; everything behind them is passed in.
 */

import { readPath } from "./target.ts";

export type CallMeta = {
  /** The peer, or what a trusted proxy says of it. */
  readonly clientIp: string;
  readonly requestId: string;
  /** Answers that may stay silent for long call it; their own time limits apply then. */
  readonly disableIdleTimeout: () => void;
};

export type Routes = {
  readonly relay: (request: Request, meta: CallMeta) => Promise<Response>;
  readonly console: (request: Request, meta: CallMeta) => Promise<Response>;
  /** Health, metrics and files; undefined: not one of them. */
  readonly other: (request: Request, meta: CallMeta, path: string) => Promise<Response>;
};

export type ListenOptions = {
  readonly host: string;
  readonly port: number;
  readonly routes: Routes;
  readonly newRequestId: () => string;
  readonly clientIp: (peer: string, headers: Headers) => string;
  readonly onBug: (error: unknown, requestId: string) => void;
};

export type Listener = {
  readonly port: number;
  readonly host: string;
  /** From now on each answer asks its connection to close. */
  startDraining(): void;
  stop(): Promise<void>;
};

/** Seconds without a byte after which a connection is closed; drips of headers end with it. */
const idleTimeoutSeconds = 10;

/** Above every limit the relay and the console set themselves, which answer more clearly. */
const bodyBytesMax = 130 * 1024 * 1024;

const relayPath = /^\/+(v1|v1beta|pg|mj|suno|dashboard)(\/|$)/;
const consolePath = /^\/api(\/|$)/;

export function listen(options: ListenOptions): Listener {
  let draining = false;
  const server = Bun.serve({
    hostname: options.host,
    port: options.port,
    idleTimeout: idleTimeoutSeconds,
    maxRequestBodySize: bodyBytesMax,
    async fetch(request, bun) {
      const requestId = options.newRequestId();
      const peer = bun.requestIP(request)?.address ?? "";
      const answer = await answerOf(options, request, {
        requestId,
        clientIp: options.clientIp(peer, request.headers),
        disableIdleTimeout: () => bun.timeout(request, 0),
      });
      answer.headers.set("x-request-id", requestId);
      if (draining) answer.headers.set("connection", "close");
      return answer;
    },
    error: () => new Response("internal error", { status: 500 }),
  });
  return {
    port: server.port ?? options.port,
    host: options.host,
    startDraining() {
      draining = true;
    },
    async stop() {
      await server.stop(true);
    },
  };
}

async function answerOf(
  { routes, onBug }: ListenOptions,
  request: Request,
  meta: CallMeta,
): Promise<Response> {
  const path = readPath(request.url);
  try {
    if (relayPath.test(path)) return await routes.relay(request, meta);
    if (consolePath.test(path)) return await routes.console(request, meta);
    return await routes.other(request, meta, path);
  } catch (error) {
    onBug(error, meta.requestId);
    return Response.json(
      { success: false, message: `服务器内部错误 (request id: ${meta.requestId})` },
      { status: 500 },
    );
  }
}
