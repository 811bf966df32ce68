/**
 * Rate limits that a Redis or Valkey server counts for all nodes, in a sliding window, one script a
 * hit. While it is away, and for one window after, each node allows no more than its part, counted
 * in its own memory.
 */

import {
  type MemoryLimits,
  type RateLimits,
  type RateRule,
  type RateVerdict,
} from "#base/rate-limit.ts";
import { stepMsOf } from "#base/rate-counters.ts";
import { hashText } from "#base/secrets.ts";
import { type Redis, scriptOf } from "./redis.ts";

/**
 * Counts a hit of a key (a hash of the ends of steps and their hits), unless the limit is reached.
 * Returns whether it is allowed, the milliseconds until it is, and for how long the server has known
 * of hits: one that was emptied knows of none before.
 *
 * KEYS: the key, the beginning of what the server knows. ARGV: window, limit, step, 1 to count.
 */
const takeScript = scriptOf(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window, max, step = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local since = now - window
local begun = redis.call('GET', KEYS[2])
if not begun then
  begun = now
  redis.call('SET', KEYS[2], string.format('%.0f', now))
end
local kept = redis.call('HGETALL', KEYS[1])
local steps, sum = {}, 0
for at = 1, #kept, 2 do
  local ends, hits = tonumber(kept[at]), tonumber(kept[at + 1])
  if ends <= since then
    redis.call('HDEL', KEYS[1], kept[at])
  else
    sum = sum + hits
    steps[#steps + 1] = { ends, hits }
  end
end
local known = now - tonumber(begun)
if sum >= max then
  table.sort(steps, function(a, b) return a[1] > b[1] end)
  local later = 0
  for _, one in ipairs(steps) do
    later = later + one[2]
    if later >= max then return { 0, math.max(1, one[1] - since), known } end
  end
end
if ARGV[4] == '1' then
  local ends = math.ceil(now / step) * step
  redis.call('HINCRBY', KEYS[1], string.format('%.0f', ends), 1)
  redis.call('PEXPIRE', KEYS[1], window + step)
end
return { 1, 0, known }`);

/** Takes back the newest hit of a key. */
const giveBackScript = scriptOf(`
local newest
for _, ends in ipairs(redis.call('HKEYS', KEYS[1])) do
  if not newest or tonumber(ends) > tonumber(newest) then newest = ends end
end
if newest and redis.call('HINCRBY', KEYS[1], newest, -1) <= 0 then
  redis.call('HDEL', KEYS[1], newest)
end
return 1`);

/** Returns the key of the time since when the server knows of anything. */
export const begunKeyOf = ({ prefix }: Redis): string => `${prefix}begun`;

/**
 * @param memory counts this node's own hits, and allows its part of a limit.
 * @param now monotonic milliseconds.
 */
export function openSharedLimits(
  redis: Redis,
  memory: MemoryLimits,
  now: () => number,
): RateLimits {
  async function ask(rule: RateRule, key: string, counts: 0 | 1) {
    const { name, windowMs, max } = rule;
    const answer = await redis.run(
      takeScript,
      [keyOf(redis, name, key), begunKeyOf(redis)],
      [windowMs, max, stepMsOf(windowMs, max), counts],
    );
    if (answer === null) return null;
    // Safe cast: the script answers so.
    const [allowed, retryAfterMs, knownMs] = answer as [number, number, number];
    const quietMs = Math.min(knownMs, now() - redis.failedMs());
    return { allowed: allowed === 1, retryAfterMs, isWhole: quietMs >= windowMs };
  }

  /** Judges by both counts where the server may not know of all hits of the window. */
  async function judge(rule: RateRule, key: string, counts: 0 | 1): Promise<RateVerdict> {
    const shared = await ask(rule, key, counts);
    const own = counts === 1 ? memory.take : memory.look;
    if (shared === null) return await own(rule, key);
    const { allowed, retryAfterMs, isWhole } = shared;
    if (!allowed) return { allowed, retryAfterMs };
    if (isWhole) {
      if (counts === 1) memory.note(rule, key);
      return { allowed, retryAfterMs: 0 };
    }
    const part = await own(rule, key);
    if (!part.allowed && counts === 1) {
      void redis.run(giveBackScript, [keyOf(redis, rule.name, key)], []);
    }
    return part;
  }

  return {
    take: (rule, key) => judge(rule, key, 1),
    look: (rule, key) => judge(rule, key, 0),
    async giveBack(rule, key) {
      await memory.giveBack(rule, key);
      await redis.run(giveBackScript, [keyOf(redis, rule.name, key)], []);
    },
  };
}

/** A key of the server. What is counted is hashed, as it is often an address or a name. */
function keyOf({ prefix }: Redis, name: string, key: string): string {
  return `${prefix}${name}:${hashText(key).slice(0, 32)}`;
}
