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
  /** Relayed calls of a signed-in browser. */
  readonly playground: (request: Request, meta: CallMeta) => Promise<Response>;
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

const relayPath = /^\/+(v1|v1beta|mj|suno|dashboard)(\/|$)/;
const consolePath = /^\/api(\/|$)/;
const playgroundPath = /^\/+pg(\/|$)/;

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
    // The relay names its answers itself: to change headers that are made costs every call.
    if (relayPath.test(path)) return await routes.relay(request, meta);
    if (consolePath.test(path)) return named(await routes.console(request, meta), meta);
    if (playgroundPath.test(path)) return named(await routes.playground(request, meta), meta);
    return named(await routes.other(request, meta, path), meta);
  } catch (error) {
    onBug(error, meta.requestId);
    const message = `服务器内部错误 (request id: ${meta.requestId})`;
    return named(Response.json({ success: false, message }, { status: 500 }), meta);
  }
}

function named(answer: Response, { requestId }: CallMeta): Response {
  answer.headers.set("x-request-id", requestId);
  return answer;
}
