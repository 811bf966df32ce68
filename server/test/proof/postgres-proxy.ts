/**
 * A proxy between the gateway and its PostgreSQL server. It can make the server disappear and come
 * back, or break a connection after a commit and before its answer.
 */

import { createServer, connect, type Socket } from "node:net";

export type PostgresProxy = {
  /** The same database, through the proxy. */
  readonly url: string;
  /** Ends all connections and refuses new ones. */
  goAway(): void;
  comeBack(): Promise<void>;
  /** The next `count` commits reach the server; their answers do not reach the gateway. */
  swallowCommits(count: number): void;
  /** Commits whose answer was swallowed so far. */
  swallowed(): number;
  stop(): void;
};

/** The command tag of a commit's answer. */
const commitAnswer = Buffer.from("COMMIT\0");

export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  let toSwallow = 0;
  let swallowed = 0;

  const server = createServer((client) => {
    const upstream = connect({ host: target.hostname, port: Number(target.port || 5432) });
    const end = (): void => {
      client.destroy();
      upstream.destroy();
      open.delete(client);
    };
    open.add(client);
    client.on("data", (chunk) => upstream.write(chunk));
    upstream.on("data", (chunk: Buffer) => {
      if (toSwallow > 0 && chunk.includes(commitAnswer)) {
        toSwallow -= 1;
        swallowed += 1;
        end();
        return;
      }
      client.write(chunk);
    });
    for (const socket of [client, upstream]) {
      socket.on("error", end);
      socket.on("close", end);
    }
  });
  const listen = async (port: number): Promise<void> =>
    await new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", () => resolve());
    });
  await listen(0);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String(port);

  const goAway = (): void => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  return {
    url: url.href,
    goAway,
    comeBack: () => listen(port),
    swallowCommits(count) {
      toSwallow = count;
    },
    swallowed: () => swallowed,
    stop: goAway,
  };
}
