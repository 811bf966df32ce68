/**
 * Chooses who counts the hits of a limit. Those that guard accounts are counted in the database of
 * several nodes, exactly. Of all others, which are asked before every call, each node allows its part
 * in memory, unless a Redis server counts them for all nodes.
 */

import type { Gauge } from "#base/gauge.ts";
import type { Logger } from "#base/logger.ts";
import { openRateLimits, type RateLimits } from "#base/rate-limit.ts";
import type { Secrets } from "#base/secrets.ts";
import { type Attempts, openExactLimits } from "./exact-limits.ts";
import { openRedis, type Redis } from "./redis.ts";
import { openSharedLimits } from "./shared-limits.ts";
import { openSharedPlaces, type SharedPlaces } from "./shared-places.ts";

type LimitDeps = {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** The number of nodes that share the database and take calls. */
  readonly nodeCount: () => number;
  readonly attempts: Attempts;
  /** Names this process among the nodes. */
  readonly nodeId: string;
  /** Tells this installation from others that use the same Redis. */
  readonly secrets: Pick<Secrets, "fingerprint">;
  /** On SQLite no other node shares the database, so that memory is exact. */
  readonly database: { readonly dialect: "postgres" | "sqlite" };
  /** The address of a Redis server; null: there is none. */
  readonly redisUrl: string | null;
  readonly log: Pick<Logger, "info" | "warn">;
};

type Limits = {
  readonly limits: RateLimits;
  /** Returns this node's part of a limit, at least 1. */
  readonly nodeShare: (limit: number) => number;
  /** Counts calls at once for all nodes; null: nothing does. */
  readonly places: SharedPlaces | null;
  /** Null: there is none. */
  readonly redis: Redis | null;
  readonly gauges: readonly Gauge[];
  readonly close: () => void;
};

export function openLimits(deps: LimitDeps): Limits {
  const { now, nodeCount, attempts, database } = deps;
  const nodeShare = (limit: number): number => Math.max(1, Math.floor(limit / nodeCount()));
  const memory = openRateLimits({ now, share: nodeShare });
  if (database.dialect === "sqlite") {
    return {
      limits: memory,
      nodeShare,
      places: null,
      redis: null,
      gauges: gaugesOf(null),
      close() {},
    };
  }
  const exact = openExactLimits(attempts, now);
  const { counter, ...rest } = openCounter(deps, memory);
  const counterOf = (isExact: true | undefined) => (isExact ? exact : counter);
  return {
    nodeShare,
    ...rest,
    limits: {
      take: (rule, key) => counterOf(rule.exact).take(rule, key),
      look: (rule, key) => counterOf(rule.exact).look(rule, key),
      giveBack: (rule, key) => counterOf(rule.exact).giveBack(rule, key),
    },
  };
}

/** Opens what counts the limits that the nodes divide or share. */
function openCounter(
  { redisUrl, secrets, nodeId, now, log }: LimitDeps,
  memory: ReturnType<typeof openRateLimits>,
): { readonly counter: RateLimits } & Pick<Limits, "close" | "gauges" | "places" | "redis"> {
  if (redisUrl === null) {
    return { counter: memory, places: null, redis: null, gauges: gaugesOf(null), close() {} };
  }
  const redis = openRedis({ url: redisUrl, scope: secrets.fingerprint }, now, (isUp, reason) =>
    isUp
      ? log.info("Redis counts limits for all nodes")
      : log.warn(
          { reason },
          "Redis (REDIS_URL) does not answer; each node allows its part of limits",
        ),
  );
  const places = openSharedPlaces(redis, nodeId, now);
  return {
    counter: openSharedLimits(redis, memory, now),
    places,
    redis,
    close() {
      places.close();
      redis.close();
    },
    gauges: gaugesOf(redis),
  };
}

function gaugesOf(redis: Redis | null): Gauge[] {
  return [
    {
      name: "tollgate_limits_shared",
      help: "1: Redis counts limits for all nodes; 0: each node allows its part.",
      read: () => (redis?.isUp() === true ? 1 : 0),
    },
    {
      name: "tollgate_limits_redis_failures",
      help: "How often Redis did not answer in time, since the start.",
      read: () => redis?.failures() ?? 0,
    },
  ];
}
