/**
 * HTTP/1.1 for clients, over `Bun.listen`. Not `Bun.serve`: what it makes of each request and
 * response costs a relayed call more than nginx takes for all of it, and it gives up connections
 * on which requests are pipelined or the client's side is closed.
 */

import type { ClientRequest } from "./client-request.ts";
import { refuse, requestOf } from "./exchange.ts";
import { type Connection, openConnection, type ServerState } from "./server-connection.ts";
import { closed, destroy, drained, halfClosed, received, tick } from "./server-events.ts";

export type ServerOptions = {
  readonly host: string;
  readonly port: number;
  /** Answers a request, now or later. Does not throw. */
  readonly answer: (request: ClientRequest) => void;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
  /** A mistake of ours, which ended a connection. */
  readonly onBug: (error: unknown) => void;
};

export type HttpServer = {
  readonly port: number;
  /** From now on each response ends its connection. */
  startDraining(): void;
  /** Closes all connections and takes no more. */
  stop(): void;
};

/** By so much a time limit may be overrun. */
const tickMs = 250;

export function openServer({ answer, host, nowMs, onBug, port }: ServerOptions): HttpServer {
  const state: ServerState = {
    connections: new Set(),
    nowMs,
    tickedMs: nowMs(),
    draining: false,
    answer,
    requestOf,
    refuse,
  };
  const listener = Bun.listen<Connection>({
    hostname: host,
    port,
    // A client may close its side behind its request and still wait for the answer.
    allowHalfOpen: true,
    socket: {
      open(socket) {
        socket.setNoDelay(true);
        socket.data = openConnection(state, socket);
      },
      data: (socket, bytes) => received(socket.data, bytes),
      drain: (socket) => drained(socket.data),
      end: (socket) => halfClosed(socket.data),
      close: (socket) => closed(socket.data),
      error(socket, error) {
        // What the network does has a code. Anything else was thrown here.
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
    stop() {
      clearInterval(timer);
      listener.stop(true);
      for (const connection of state.connections) destroy(connection);
    },
  };
}

function tickAll(state: ServerState): void {
  state.tickedMs = state.nowMs();
  for (const connection of state.connections) tick(connection, state.tickedMs);
}
