/**
 * An HTTP/1.1 server over `Bun.listen`. `Bun.serve` is not used: its request and response objects
 * cost a relayed call more than nginx takes for everything, and it drops connections with pipelined
 * requests or a half-closed client.
 */

import type { ClientRequest } from "./client-request.ts";
import { ClientExchange, refuse } from "./exchange.ts";
import type { RequestHead } from "./request-head.ts";
import { boundSendBuffer } from "./send-buffer.ts";
import { type Connection, openConnection, type ServerState } from "./server-connection.ts";
import { openResting } from "./resting.ts";
import { withoutBasePath } from "./target.ts";
import { closed, destroy, drained, halfClosed, received, tick, wake } from "./server-events.ts";

type ServerOptions = {
  readonly host: string;
  readonly port: number;
  /** Called with each request, to be answered now or later. Must not throw. */
  readonly answer: (request: ClientRequest) => void;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
  /** How long a connection may wait for its next request. Clients are told. */
  readonly keepAliveSeconds?: number;
  /** The path that requests may begin with, and that nobody else sees; empty: none. */
  readonly basePath?: string;
  /** Called with an error of this program that has ended a connection. */
  readonly onBug: (error: unknown) => void;
};

export type HttpServer = {
  readonly port: number;
  /** Begins the shutdown: from now on every response closes its connection. */
  startDraining(): void;
  /** Returns how many connections carry a request that is not answered, or not to its end. */
  busy(): number;
  /** Closes all connections and accepts no more. */
  stop(): void;
};

/**
 * How long a connection may wait for its next request, unless the operator says otherwise. Longer
 * than the 60 s of nginx and of the balancers that clouds have, so that these close first: a request
 * that meets a connection which the server is just closing fails.
 */
export const keepAliveSecondsUsual = 75;

/** How often time limits are checked, so a limit may be exceeded by up to this time. */
const tickMs = 250;

export function openServer(options: ServerOptions): HttpServer {
  const { answer, host, nowMs, onBug, port, keepAliveSeconds = keepAliveSecondsUsual } = options;
  const { basePath = "" } = options;
  const state: ServerState = {
    connections: new Set(),
    nowMs,
    tickedMs: nowMs(),
    draining: false,
    resting: openResting({
      wake,
      // A round of the event loop that has begun already may have polled the sockets before.
      afterReading: (work) => void setImmediate(() => void setImmediate(work)),
      nowMs,
      wait: (ms, work) => void setTimeout(work, ms).unref(),
    }),
    keepAliveSeconds,
    keepAliveField: `connection: keep-alive\r\nkeep-alive: timeout=${keepAliveSeconds}\r\n`,
    answer,
    newExchange: (connection, head, dueMs) =>
      new ClientExchange(connection, basePath === "" ? head : below(head, basePath), dueMs),
    refuse,
  };
  const listener = Bun.listen<Connection>({
    hostname: host,
    port,
    // A client may close its side and still wait for the response.
    allowHalfOpen: true,
    socket: {
      open(socket) {
        socket.setNoDelay(true);
        boundSendBuffer(socket);
        // The last tick may be long ago, on a machine that stood still.
        state.tickedMs = nowMs();
        socket.data = openConnection(state, socket);
        // A client that is gone already has no address, and nobody waits for its answers.
        if (!hasAddress(socket)) destroy(socket.data);
      },
      data: (socket, bytes) => received(socket.data, bytes),
      drain: (socket) => drained(socket.data),
      end: (socket) => halfClosed(socket.data),
      close: (socket) => closed(socket.data),
      error(socket, error) {
        // Errors of the network have a code. Any other error is a bug of this program.
        if (!("code" in error)) onBug(error);
        destroy(socket.data);
      },
      binaryType: "buffer",
    },
  });
  const timer = setInterval(() => tickAll(state), tickMs).unref();
  return {
    port: listener.port,
    startDraining() {
      state.draining = true;
    },
    busy() {
      let count = 0;
      for (const connection of state.connections) if (isBusy(connection)) count += 1;
      return count;
    },
    stop() {
      clearInterval(timer);
      listener.stop(true);
      for (const connection of state.connections) destroy(connection);
    },
  };
}

/** Whether a request on the connection is not answered, or its answer is not sent to its end. */
function isBusy({ exchange, unsent, webSocket }: Connection): boolean {
  return exchange !== null || unsent.length > 0 || webSocket !== null;
}

/** Whether the socket's other end is known. The types promise it, but it may have gone. */
function hasAddress(socket: { readonly remoteAddress: string | undefined }): boolean {
  return socket.remoteAddress !== undefined;
}

function tickAll(state: ServerState): void {
  state.tickedMs = state.nowMs();
  for (const connection of state.connections) tick(connection, state.tickedMs);
}

function below(head: RequestHead, basePath: string): RequestHead {
  return { ...head, target: withoutBasePath(head.target, basePath) };
}
