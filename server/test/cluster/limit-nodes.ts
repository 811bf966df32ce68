/** Three nodes that count with one real Redis, each by a way of its own that a test can cut. */

import { openRateLimits } from "#base/rate-limit.ts";
import { openLimits } from "#limits/limits.ts";
import { type RedisProxy, startRedis, startRedisProxy } from "./redis-process.ts";

export const nodeCount = 3;

type Limits = ReturnType<typeof openLimits>;

/**
 * Opens the limits of the nodes as the product does.
 *
 * @param stops gets what ends them.
 */
export async function openLimitNodes(stops: (() => Promise<void> | void)[]): Promise<{
  readonly redis: Awaited<ReturnType<typeof startRedis>>;
  readonly proxies: readonly RedisProxy[];
  readonly nodes: readonly Limits[];
}> {
  const redis = await startRedis();
  stops.push(redis.stop);
  const proxies: RedisProxy[] = [];
  const memory = openRateLimits({ now: () => performance.now() });
  const attempts = {
    takeAttempt: memory.take,
    lookAttempt: memory.look,
    giveBackAttempt: memory.giveBack,
  };
  const nodes: Limits[] = [];
  for (let node = 0; node < nodeCount; node += 1) {
    const proxy = await startRedisProxy(redis);
    proxies.push(proxy);
    const limits = openLimits({
      now: () => performance.now(),
      nodeCount: () => nodeCount,
      attempts,
      nodeId: crypto.randomUUID(),
      secrets: { fingerprint: "a" },
      database: { dialect: "postgres" },
      redisUrl: proxy.url,
      log: { info() {}, warn() {} },
    });
    stops.push(limits.close, proxy.stop);
    nodes.push(limits);
  }
  return { redis, proxies, nodes };
}
