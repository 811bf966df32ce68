/** Runs a real Redis server for a test, which can be killed, stopped, slowed and cut off. */

import { spawn, spawnSync } from "node:child_process";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { eventually } from "#test/proof/ledger.ts";

const programs = join(import.meta.dir, "../../../scripts/programs");

type RedisProcess = {
  readonly url: string;
  readonly port: number;
  start(): Promise<void>;
  signal(name: "SIGCONT" | "SIGKILL" | "SIGSTOP"): Promise<void>;
  /** Forgets everything. */
  flush(): Promise<void>;
  stop(): void;
};

export async function startRedis(): Promise<RedisProcess> {
  const found = spawnSync("node", [join(programs, "redis.mjs")], { encoding: "utf8" });
  if (found.status !== 0) throw new Error(found.stderr);
  // Safe casts: the program prints this, and the file exports that function.
  const { program, name } = JSON.parse(found.stdout) as { program: string; name: string };
  const { freePort } = (await import(join(programs, "free-port.mjs"))) as {
    freePort(): Promise<number>;
  };
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ReturnType<typeof spawn> | undefined;

  async function ask(command: string): Promise<string> {
    return await new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => void socket.write(`${command}\r\n`));
      socket.once("data", (data) => {
        socket.destroy();
        resolve(String(data));
      });
      socket.once("error", reject);
    });
  }

  async function start(): Promise<void> {
    const options = ["--port", String(port), "--bind", "127.0.0.1", "--save", ""];
    child = spawn(program, options, { argv0: name, stdio: "ignore" });
    await eventually(
      async () => await ask("PING").catch(() => ""),
      (answer) => answer.startsWith("+PONG"),
      { what: "Redis answers" },
    );
  }

  await start();
  return {
    url,
    port,
    start,
    async signal(signal) {
      const ended = new Promise((resolve) => child?.once("exit", resolve));
      child?.kill(signal);
      if (signal === "SIGKILL") await ended;
    },
    flush: async () => void (await ask("FLUSHALL")),
    stop: () => void child?.kill("SIGKILL"),
  };
}

export type RedisProxy = {
  readonly url: string;
  /** Lets every answer take this long. */
  delay(ms: number): void;
  /** Ends the connections and takes no more. */
  cut(): void;
  stop(): void;
};

/** Opens what stands between one node and the server. */
export async function startRedisProxy(redis: RedisProcess): Promise<RedisProxy> {
  const sockets = new Set<Socket>();
  let delayMs = 0;
  let isCut = false;
  const server: Server = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const upstream = connect(redis.port, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        client.destroy();
        upstream.destroy();
        sockets.delete(socket);
      });
    }
    client.on("data", (data) => void upstream.write(data));
    upstream.on("data", (data) => void setTimeout(() => client.write(data), delayMs));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `redis://127.0.0.1:${port}`,
    delay: (ms) => void (delayMs = ms),
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
