/** A client's TCP connection: reads requests one by one, writes bytes at the client's pace. */

import type { Socket } from "bun";
import { type DemoRequest, parseRequest } from "./request-parser.ts";

export type Connection = {
  readonly remoteAddress: string;
  isClosed(): boolean;
  /** Returns how many bytes the kernel has accepted so far. */
  takenBytes(): number;
  /**
   * Writes bytes. Returns false if the kernel has not accepted all of them; the caller then waits
   * for `drained`.
   */
  send(bytes: string | Uint8Array): boolean;
  /** Whether written bytes are still waiting for the kernel. */
  isStalled(): boolean;
  /** Resolves when the kernel has accepted more, or the client is gone. */
  drained(): Promise<void>;
  /**
   * Resolves after `ms` milliseconds, or when the client is gone. 0: in the next turn of the event
   * loop.
   */
  pause(ms: number): Promise<void>;
  /** Resolves when the client is gone. */
  gone(): Promise<void>;
  /** Gives all further bytes of the client to this function instead of reading requests. */
  takeOver(received: (bytes: Buffer) => void): void;
  /** Closes the connection normally: everything sent arrives, then FIN. */
  finish(): void;
  /** Closes the connection with a TCP reset. */
  reset(): void;
};

/**
 * Answers a request. Returns a promise unless the whole answer was sent before the function
 * returned.
 */
type Answerer = (request: DemoRequest, connection: Connection) => Promise<void> | undefined;

/** Socket events of a connection. */
export type ConnectionEvents = {
  received(chunk: Buffer): void;
  drained(): void;
  closed(): void;
  readonly connection: Connection;
};

/** The largest number of bytes that a client may send while it is being answered. */
const pipelinedBytesMax = 1024 * 1024;
const empty: Buffer = Buffer.alloc(0);
const nothing = (): void => {};

export function openConnection(socket: Socket<unknown>, answer: Answerer): ConnectionEvents {
  const outlet = openOutlet(socket);
  const inlet = openInlet();
  let taker: ((bytes: Buffer) => void) | null = null;
  const connection: Connection = {
    ...outlet.connection,
    takeOver(received) {
      taker = received;
    },
  };
  let busy = false;

  function next(): void {
    while (!busy && !outlet.connection.isClosed()) {
      const parsed = inlet.take();
      if (parsed === undefined) return;
      if (parsed.kind === "incomplete") {
        outlet.connection.send("HTTP/1.1 100 Continue\r\n\r\n");
        return;
      }
      if (parsed.kind === "malformed") {
        outlet.connection.send(refusal(parsed.status, parsed.reason));
        outlet.connection.finish();
        return;
      }
      serve(parsed.request);
    }
  }

  function serve(request: DemoRequest): void {
    const running = answer(request, connection);
    const done = (): void => {
      busy = false;
      if (!request.keepAlive) outlet.connection.finish();
    };
    if (running === undefined) {
      done();
      return;
    }
    busy = true;
    void running
      .catch((bug: unknown) => {
        // A bug in the demo upstream closes the connection, so that the client does not wait for
        // ever.
        process.stderr.write(`demo upstream: ${bug instanceof Error ? bug.stack : String(bug)}\n`);
        outlet.connection.reset();
      })
      .finally(() => {
        done();
        next();
      });
  }

  return {
    connection,
    received(chunk) {
      if (taker !== null) {
        taker(chunk);
        return;
      }
      inlet.put(chunk);
      if (!busy) next();
      else if (inlet.waitingBytes() > pipelinedBytesMax) outlet.connection.reset();
    },
    drained: outlet.drained,
    closed: outlet.closed,
  };
}

function refusal(status: number, reason: string): string {
  const body = JSON.stringify({ error: { message: reason, type: "invalid_request_error" } });
  return (
    `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\nconnection: close\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

type Inlet = {
  put(chunk: Buffer): void;
  /**
   * Takes the next request out of the received bytes, or says what is wrong with it. `incomplete`:
   * the client may be waiting for `100 Continue`.
   */
  take(): ReturnType<typeof parseRequest> | undefined;
  waitingBytes(): number;
};

/**
 * Opens a buffer of bytes that were received and not parsed yet. It grows by doubling, so that
 * large bodies are rarely copied.
 */
function openInlet(): Inlet {
  let store: Buffer = empty;
  let from = 0;
  let to = 0;
  let neededBytes = 1;
  let continued = false;

  return {
    put(chunk) {
      const waiting = to - from;
      if (waiting === 0) {
        store = chunk;
        from = 0;
        to = chunk.length;
        return;
      }
      // `store` may be the chunk that the runtime passed in, which must not be written to. It has
      // no free room, so it is always replaced here first.
      if (to + chunk.length > store.length) {
        const grown = Buffer.allocUnsafe(Math.max(neededBytes, (waiting + chunk.length) * 2));
        store.copy(grown, 0, from, to);
        store = grown;
        from = 0;
        to = waiting;
      }
      chunk.copy(store, to);
      to += chunk.length;
    },
    take() {
      const waiting = to - from;
      if (waiting < neededBytes) return undefined;
      const parsed = parseRequest(store.subarray(from, to));
      if (parsed.kind === "incomplete") {
        neededBytes = parsed.neededBytes;
        if (!parsed.expectsContinue || continued) return undefined;
        continued = true;
        return parsed;
      }
      neededBytes = 1;
      continued = false;
      if (parsed.kind === "request") from += parsed.consumedBytes;
      if (from === to) store = empty;
      if (from === to) from = to = 0;
      return parsed;
    },
    waitingBytes: () => to - from,
  };
}

type Outlet = {
  readonly connection: Omit<Connection, "takeOver">;
  drained(): void;
  closed(): void;
};

function openOutlet(socket: Socket<unknown>): Outlet {
  let closed = false;
  let taken = 0;
  let rest: Uint8Array = empty;
  /** Resumes the answer that waits for the client; there is only one answer at a time. */
  let wake = nothing;
  const goneSignal = Promise.withResolvers<void>();

  function write(bytes: Uint8Array | string, length: number): number {
    const written = Math.max(0, socket.write(bytes));
    taken += written;
    return Math.min(written, length);
  }
  function markClosed(): void {
    closed = true;
    rest = empty;
    goneSignal.resolve();
    wake();
  }

  const connection: Outlet["connection"] = {
    remoteAddress: socket.remoteAddress,
    isClosed: () => closed,
    takenBytes: () => taken,
    isStalled: () => rest.length > 0,
    send(bytes) {
      if (closed) return false;
      if (rest.length > 0) {
        rest = Buffer.concat([rest, typeof bytes === "string" ? Buffer.from(bytes) : bytes]);
        return false;
      }
      const length = typeof bytes === "string" ? Buffer.byteLength(bytes) : bytes.length;
      const written = write(bytes, length);
      if (written === length) return true;
      rest = (typeof bytes === "string" ? Buffer.from(bytes) : bytes).subarray(written);
      return false;
    },
    drained: () =>
      new Promise((done) => {
        if (closed || rest.length === 0) done();
        else wake = done;
      }),
    pause: (ms) =>
      new Promise((done) => {
        if (closed) return done();
        if (ms === 0) return void setImmediate(done);
        const timer = setTimeout(done, ms);
        wake = () => {
          clearTimeout(timer);
          done();
        };
      }),
    gone: () => goneSignal.promise,
    finish() {
      markClosed();
      socket.end();
    },
    reset() {
      markClosed();
      socket.terminate();
    },
  };
  return {
    connection,
    drained() {
      if (rest.length === 0) return;
      rest = rest.subarray(write(rest, rest.length));
      wake();
    },
    closed: markClosed,
  };
}
