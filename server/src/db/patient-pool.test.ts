import { EventEmitter } from "node:events";
import { expect, test } from "bun:test";
import type { PoolClient } from "pg";
import { openPatientPool } from "./patient-pool.ts";

/** A server that lets a pool have a number of connections, and the pool as the driver has it. */
function openServer(free: number) {
  const server = { free, asked: 0 };
  const events = new EventEmitter();
  const options = { max: 3 };
  const idle: object[] = [];
  const waiting: ((client: Promise<PoolClient>) => void)[] = [];
  const held = { count: 0 };

  function pulse(): void {
    const next = idle.length > 0 || held.count < options.max ? waiting.shift() : undefined;
    next?.(connect());
  }

  async function connect(): Promise<PoolClient> {
    const kept = idle.pop();
    // Safe cast: a pool hands on what it is given.
    if (kept !== undefined) return kept as PoolClient;
    if (held.count >= options.max) {
      return await new Promise((resolve) => void waiting.push(resolve));
    }
    server.asked += 1;
    held.count += 1;
    await Bun.sleep(1);
    if (held.count <= server.free) {
      events.emit("connect");
      return {} as PoolClient;
    }
    held.count -= 1;
    // The driver lets the next one try before it tells this one.
    pulse();
    throw new Error('too many connections for role "tollgate"');
  }
  let nowMs = 0;
  const inner = {
    connect,
    end: async () => {},
    options,
    totalCount: 0,
    on: events.on.bind(events),
  };
  // Safe cast: nothing else of a pool is asked for here.
  const pool = openPatientPool(inner as unknown as Parameters<typeof openPatientPool>[0], {
    most: 3,
    maxMs: 5_000,
    now: () => nowMs,
  });
  return {
    server,
    pool,
    pass: (ms: number) => void (nowMs += ms),
    release(client: object) {
      idle.push(client);
      pulse();
    },
  };
}

test("readers wait for the connections that their thread has when the server has no more", async () => {
  const { server, pool, release, pass } = openServer(1);
  let answered = 0;
  const read = async (): Promise<void> => {
    const client = await pool.connect();
    await Bun.sleep(0);
    release(client);
    answered += 1;
  };
  await Promise.all(Array.from({ length: 64 }, read));
  expect(answered).toBe(64);
  // Three at first and those who waited behind them; then none of the 64 troubled the server again.
  expect(server.asked).toBeLessThanOrEqual(6);
  server.free = 3;
  pass(1_001);
  await Promise.all(Array.from({ length: 64 }, read));
  expect(answered).toBe(128);
});

test("a thread without any connection is refused when it has waited long enough, not before", async () => {
  const { server, pool, release } = openServer(0);
  const waits = pool.connect();
  await Bun.sleep(150);
  // It asks now and then, not all the time.
  expect(server.asked).toBeLessThanOrEqual(3);
  server.free = 1;
  release(await waits);
  const other = openServer(0);
  const refused = other.pool.connect().catch(String);
  other.pass(5_001);
  expect(await refused).toContain("too many connections");
});
