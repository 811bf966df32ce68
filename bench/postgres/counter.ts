/**
 * A proxy in front of PostgreSQL that counts what a gateway sends: statements, and round trips, which
 * are the times it waits for answers before it sends on.
 */

import type { Socket } from "bun";

type PostgresCounts = { readonly statements: number; readonly roundTrips: number };

export type PostgresCounter = {
  /** The URL of the same database through the proxy. */
  readonly url: string;
  counts(): PostgresCounts;
  stop(): void;
};

type Side = {
  other: Socket<Side> | null;
  /** Bytes that came before the other side was connected, or that it has not taken. */
  waiting: Buffer[];
  readonly client: Client | null;
};

type Client = {
  /** Bytes of a message that has not arrived whole. */
  rest: Buffer;
  /** Whether the first message was read, which has no type. */
  started: boolean;
  answered: boolean;
};

const headLength = 5;

/**
 * How long each answer is held back, in milliseconds: like one from a server elsewhere, it arrives
 * after everything that was sent without waiting for it.
 */
const distanceMs = 2;

const types = { execute: "E".charCodeAt(0), query: "Q".charCodeAt(0) };

/** @param databaseUrl names host and port. */
export function startPostgresCounter(databaseUrl: string): PostgresCounter {
  const target = new URL(databaseUrl);
  const { count, counts } = openCounts();
  const handler = {
    data(socket: Socket<Side>, chunk: Buffer): void {
      const { client, other } = socket.data;
      if (client !== null) {
        count(client, chunk);
        if (other === null) socket.data.waiting.push(Buffer.from(chunk));
        else send(other, chunk);
        return;
      }
      const answer = Buffer.from(chunk);
      setTimeout(() => {
        if (other === null) return;
        if (other.data.client !== null) other.data.client.answered = true;
        send(other, answer);
      }, distanceMs);
    },
    drain: flush,
    close(socket: Socket<Side>): void {
      socket.data.other?.end();
    },
    error(): void {},
  };
  const listener = Bun.listen<Side>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      ...handler,
      async open(socket) {
        socket.data = {
          other: null,
          waiting: [],
          client: { rest: Buffer.alloc(0), started: false, answered: true },
        };
        const data: Side = { other: socket, waiting: [], client: null };
        const port = Number(target.port || 5432);
        const upstream = await Bun.connect<Side>({
          hostname: target.hostname,
          port,
          data,
          socket: handler,
        });
        socket.data.other = upstream;
        for (const chunk of socket.data.waiting.splice(0)) send(upstream, chunk);
      },
    },
  });
  const address = { hostname: "127.0.0.1", port: String(listener.port) };
  return {
    url: Object.assign(new URL(databaseUrl), address).href,
    counts,
    stop: () => listener.stop(true),
  };
}

function openCounts() {
  let statements = 0;
  let roundTrips = 0;
  return {
    counts: (): PostgresCounts => ({ statements, roundTrips }),
    /** Counts what a client sends. */
    count(client: Client, chunk: Buffer): void {
      if (client.answered) roundTrips += 1;
      client.answered = false;
      let bytes = client.rest.length === 0 ? chunk : Buffer.concat([client.rest, chunk]);
      for (;;) {
        const lengthAt = client.started ? 1 : 0;
        if (bytes.length < headLength) break;
        const length = lengthAt + bytes.readInt32BE(lengthAt);
        if (bytes.length < length) break;
        const type = client.started ? bytes[0] : 0;
        if (type === types.execute || type === types.query) statements += 1;
        client.started = true;
        bytes = bytes.subarray(length);
      }
      client.rest = Buffer.from(bytes);
    },
  };
}

function send(socket: Socket<Side>, chunk: Buffer): void {
  socket.data.waiting.push(Buffer.from(chunk));
  flush(socket);
}

function flush(socket: Socket<Side>): void {
  const { waiting } = socket.data;
  for (let bytes = waiting[0]; bytes !== undefined; bytes = waiting[0]) {
    const sent = Math.max(0, socket.write(bytes));
    if (sent < bytes.length) {
      waiting[0] = bytes.subarray(sent);
      return;
    }
    waiting.shift();
  }
}
