/**
 * A proxy between the gateway and its PostgreSQL server. It can make the server disappear and
 * return, break a connection after a commit and before its answer, or silently forward nothing any
 * more.
 */

import { connect, createServer, type Server, type Socket } from "node:net";

type Direction = "answers" | "questions";

export type PostgresProxy = {
  /** The URL of the same database through the proxy. */
  readonly url: string;
  /** Ends all connections and refuses new ones. */
  goAway(): void;
  comeBack(): Promise<void>;
  /** Leads new connections to the server at this port, and ends the present ones. */
  moveTo(port: number): void;
  /** Lets the next `count` commits reach the server, but drops the server's answers to them. */
  swallowCommits(count: number): void;
  /** How many answers to commits were dropped so far. */
  swallowed(): number;
  /**
   * Keeps every connection open, but stops forwarding as soon as a transaction through this proxy
   * has locked rows of accounts. Resolves at that moment.
   */
  freezeInTransaction(): Promise<void>;
  /**
   * Keeps every connection open, but forwards nothing from now on, or nothing in one direction: the
   * questions of the gateway, or the answers of the server.
   */
  freeze(only?: Direction): void;
  /** Forwards again, beginning with what arrived meanwhile. */
  thaw(): void;
  /** Makes every answer of the server take this much longer. */
  delayAnswers(ms: number): void;
  /**
   * How often a client has sent something after it had an answer and before it got another one, on
   * all connections.
   */
  roundTrips(): number;
  stop(): void;
};

/** The command tag in the server's answer to a commit, by which such an answer is recognised. */
const commitAnswer = Buffer.from("COMMIT\0");

/**
 * A part of every statement that locks rows of accounts, by which such a statement is recognised.
 */
const lockRequest = Buffer.from("for update");

/** The server's message that it is ready for the next statement of an open transaction. */
const inTransaction = Buffer.from("Z\0\0\0\x05T", "latin1");

/** The same message when no transaction is open. */
const outsideTransaction = Buffer.from("Z\0\0\0\x05I", "latin1");

/**
 * How a pooler treats parameters of the startup message that it does not know: PgBouncer refuses
 * them, or drops them if so configured.
 */
export type Pooling = "ignores parameters" | "refuses parameters";

export async function startPostgresProxy(
  databaseUrl: string,
  pooling?: Pooling,
): Promise<PostgresProxy> {
  const target = new URL(databaseUrl);
  let targetPort = Number(target.port || 5432);
  const open = new Set<Socket>();
  const swallower = openSwallower();
  const line = openLine();
  const freezer = openFreezer();

  const server = createServer((client) => {
    /** Whether the present transaction has asked for locks on rows of accounts. */
    let isLocking = false;
    const trips = line.connect();
    let start = pooling;
    const upstream = connect({ host: target.hostname, port: targetPort });
    const end = (): void => {
      client.destroy();
      upstream.destroy();
      open.delete(client);
    };
    open.add(client);
    client.on("data", (chunk: Buffer) => {
      if (start !== undefined) {
        poolStartup(chunk, start, { client, upstream });
        start = undefined;
        return;
      }
      trips.asked();
      isLocking ||= chunk.includes(lockRequest);
      freezer.forward("questions", upstream, chunk);
    });
    upstream.on("data", (chunk: Buffer) => {
      if (swallower.takes(chunk)) {
        end();
        return;
      }
      if (isLocking && chunk.includes(inTransaction)) freezer.note();
      if (chunk.includes(outsideTransaction)) isLocking = false;
      trips.answer(() => freezer.forward("answers", client, chunk));
    });
    for (const socket of [client, upstream]) {
      socket.on("error", end);
      socket.on("close", end);
    }
  });
  await listenAt(server, 0);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const url = Object.assign(new URL(databaseUrl), { hostname: "127.0.0.1", port: String(port) });

  const goAway = (): void => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  return {
    url: url.href,
    goAway,
    comeBack: () => listenAt(server, port),
    moveTo(newPort) {
      targetPort = newPort;
      for (const socket of open) socket.destroy();
    },
    swallowCommits: swallower.swallowCommits,
    swallowed: swallower.swallowed,
    ...freezer,
    delayAnswers: line.delayAnswers,
    roundTrips: line.roundTrips,
    stop: goAway,
  };
}

async function listenAt(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve());
  });
}

function openSwallower() {
  let left = 0;
  let swallowed = 0;
  return {
    swallowCommits(count: number): void {
      left = count;
    },
    swallowed: () => swallowed,
    /** Whether the chunk has the answer to a commit that must not reach the client. */
    takes(chunk: Buffer): boolean {
      if (left === 0 || !chunk.includes(commitAnswer)) return false;
      left -= 1;
      swallowed += 1;
      return true;
    },
  };
}

/** Opens the line to the server: it makes answers late, and counts round trips. */
function openLine() {
  let delayMs = 0;
  let roundTrips = 0;
  return {
    delayAnswers(ms: number): void {
      delayMs = ms;
    },
    roundTrips: () => roundTrips,
    connect() {
      let isAnswered = true;
      return {
        asked(): void {
          if (isAnswered) roundTrips += 1;
          isAnswered = false;
        },
        answer(send: () => void): void {
          const arrive = (): void => {
            isAnswered = true;
            send();
          };
          if (delayMs > 0) setTimeout(arrive, delayMs);
          else arrive();
        },
      };
    },
  };
}

/**
 * Opens the switch between the two sides of a connection: it forwards chunks, and keeps them while
 * the proxy is frozen.
 */
function openFreezer() {
  let freezing: (() => void) | null = null;
  /** What arrived while the proxy was frozen; null: it is not frozen. */
  let kept: (() => void)[] | null = null;
  /** The direction that is frozen; undefined: both are. */
  let frozen: Direction | undefined;
  return {
    forward(direction: Direction, to: Socket, chunk: Buffer): void {
      const passes = kept === null || (frozen !== undefined && frozen !== direction);
      if (passes) to.write(chunk);
      else kept?.push(() => to.write(chunk));
    },
    /**
     * Called when a transaction has locked rows of accounts. If a test waits for that moment,
     * forwarding stops now.
     */
    note(): void {
      if (freezing === null) return;
      kept = [];
      frozen = undefined;
      freezing();
      freezing = null;
    },
    freezeInTransaction: (): Promise<void> =>
      new Promise((resolve) => {
        freezing = resolve;
      }),
    freeze(only?: Direction): void {
      kept ??= [];
      frozen = only;
    },
    thaw(): void {
      const waiting = kept ?? [];
      kept = null;
      for (const send of waiting) send();
    },
  };
}

/** The parameters of a startup message that PgBouncer knows and passes on. */
const pooledParameters = new Set(["application_name", "client_encoding", "database", "user"]);

/** Bytes of the length and the protocol version, which begin the startup message. */
const startupHeadLength = 8;

/** Forwards the startup message without the parameters that poolers drop, or refuses one. */
function poolStartup(
  message: Buffer,
  pooling: Pooling,
  { client, upstream }: { readonly client: Socket; readonly upstream: Socket },
): void {
  const texts = message.subarray(startupHeadLength).toString("latin1").split("\0");
  const kept: string[] = [];
  for (let index = 0; index + 1 < texts.length; index += 2) {
    const [name = "", value = ""] = texts.slice(index);
    if (name === "") break;
    if (pooledParameters.has(name)) kept.push(name, value);
    else if (pooling === "refuses parameters") {
      client.end(refusalOf(`unsupported startup parameter: ${name}`));
      return;
    }
  }
  const body = Buffer.from(`${kept.join("\0")}\0\0`, "latin1");
  const head = Buffer.from(message.subarray(0, startupHeadLength));
  head.writeInt32BE(startupHeadLength + body.length, 0);
  upstream.write(Buffer.concat([head, body]));
}

/** Builds an ErrorResponse of PostgreSQL's protocol. */
function refusalOf(text: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${text}\0\0`, "latin1");
  const head = Buffer.alloc(5);
  head.write("E", 0, "latin1");
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, fields]);
}
