/** A standby of the tests' PostgreSQL server, and programs of PostgreSQL. */

import { join } from "node:path";

const script = join(import.meta.dir, "../../../scripts/postgres.mjs");

type Standby = {
  readonly port: number;
  /** Lets it take writes. What it has not got from its primary is lost. */
  promote(): Promise<void>;
  stop(): Promise<void>;
};

/** Starts a standby that follows the server at a port of this machine. */
export async function startStandby(primaryPort: number): Promise<Standby> {
  const child = Bun.spawn(["node", script, "--standby", String(primaryPort)], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const lines = readLines(child.stdout);
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`the standby ended with ${await child.exited}`);
    return value;
  };
  const port = Number(await next());
  return {
    port,
    async promote() {
      await child.stdin.write("promote\n");
      await child.stdin.flush();
      await next();
    },
    async stop() {
      await child.stdin.end();
      await child.exited;
    },
  };
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

/** Runs a program such as `pg_dump` to its end. @throws Error with what it printed. */
export async function runPostgres(program: string, args: readonly string[]): Promise<void> {
  const child = Bun.spawn(["node", script, "--program", program, ...args], { stderr: "pipe" });
  const said = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${program}: ${said}`);
}
