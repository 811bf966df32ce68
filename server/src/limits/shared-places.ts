/**
 * Calls at once, counted by a Redis or Valkey server for all nodes. Each node tells how many calls it
 * has of whoever is limited, by a lease: the calls of a node that has died are forgotten soon.
 */

import { hashText } from "#base/secrets.ts";
import { type Redis, scriptOf } from "./redis.ts";
import { begunKeyOf } from "./shared-limits.ts";

/** One who is limited: a user or a token. */
type Place = {
  readonly name: string;
  /** The calls of this node, the one that asks among them. */
  readonly own: number;
  readonly max: number;
};

/** `isWhole`: the server knows of the calls of all nodes, so that nothing else need be asked. */
type PlaceVerdict = { readonly refused: number | null; readonly isWhole: boolean };

export type SharedPlaces = {
  /** Whether the server answered when it was last asked. */
  isUp(): boolean;
  /**
   * Asks for a place of each; `refused` is which of them has none, and then none is taken. Null: the
   * server does not answer in time.
   */
  take(places: readonly Place[]): Promise<PlaceVerdict | null>;
  /** Tells how many calls this node has now of one that was asked for before. */
  tell(name: string, own: number): void;
  close(): void;
};

/** How long a node that tells nothing keeps its places, and how often it tells, in milliseconds. */
const leaseMs = 10_000;
const renewMs = 1_000;

/** How long it takes at most until all nodes have told a server that knew nothing, in milliseconds. */
const wholeMs = 2 * renewMs;

/** How many places one script renews. */
const renewedMax = 200;

/**
 * Takes a place for each key, unless one of them has none. Returns which has none (0: all have), and
 * for how long the server has known of places: one that was emptied knows of none before.
 *
 * KEYS: the beginning of what the server knows, then one a place. ARGV: node, lease, and for each
 * place the node's own calls and the limit; below 0 there is none, and the calls are only told.
 */
const placesScript = scriptOf(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local node, lease = ARGV[1], tonumber(ARGV[2])
local begun = redis.call('GET', KEYS[1])
if not begun then
  begun = now
  redis.call('SET', KEYS[1], string.format('%.0f', now))
end
local refused = 0
for at = 2, #KEYS do
  local own, max = tonumber(ARGV[at * 2 - 1]), tonumber(ARGV[at * 2])
  if max >= 0 then
    local sum, kept = own, redis.call('HGETALL', KEYS[at])
    for one = 1, #kept, 2 do
      local count, ends = string.match(kept[one + 1], '^(%d+) (%d+)$')
      if tonumber(ends) <= now then
        redis.call('HDEL', KEYS[at], kept[one])
      elseif kept[one] ~= node then
        sum = sum + tonumber(count)
      end
    end
    if sum > max and refused == 0 then refused = at - 1 end
  end
end
for at = 2, #KEYS do
  local own = tonumber(ARGV[at * 2 - 1])
  if refused > 0 then own = own - 1 end
  if own > 0 then
    redis.call('HSET', KEYS[at], node, string.format('%.0f %.0f', own, now + lease))
    redis.call('PEXPIRE', KEYS[at], lease)
  else
    redis.call('HDEL', KEYS[at], node)
  end
end
return { refused, now - tonumber(begun) }`);

/**
 * @param nodeId names this process; no other one has had the name.
 * @param now monotonic milliseconds.
 */
export function openSharedPlaces(redis: Redis, nodeId: string, now: () => number): SharedPlaces {
  /** The calls of this node of which the server is told. */
  const told = new Map<string, number>();
  const node = hashText(nodeId).slice(0, 16);

  async function run(places: readonly Place[]): Promise<PlaceVerdict | null> {
    const answer = await redis.run(
      placesScript,
      [begunKeyOf(redis), ...places.map(({ name }) => `${redis.prefix}at-once:${name}`)],
      [node, leaseMs, ...places.flatMap(({ own, max }) => [own, max])],
    );
    if (answer === null) return null;
    // Safe cast: the script answers so.
    const [refused, knownMs] = answer as [number, number];
    const isWhole = Math.min(knownMs, now() - redis.failedMs()) >= wholeMs;
    return { refused: refused === 0 ? null : refused - 1, isWhole };
  }

  function note(name: string, own: number): void {
    if (own > 0) told.set(name, own);
    else told.delete(name);
  }

  /** Tells again, or that there is nothing: so the server has known of all when calls come. */
  function renew(): void {
    const all = [...told].map(([name, own]) => ({ name, own, max: unlimited }));
    for (let from = 0; from === 0 || from < all.length; from += renewedMax) {
      void run(all.slice(from, from + renewedMax));
    }
  }

  const renewing = setInterval(renew, renewMs);
  return {
    isUp: redis.isUp,
    async take(places) {
      for (const { name, own } of places) note(name, own);
      return await run(places);
    },
    tell(name, own) {
      // The calls of one who is not limited concern nobody.
      if (!told.has(name)) return;
      note(name, own);
      void run([{ name, own, max: unlimited }]);
    },
    close: () => clearInterval(renewing),
  };
}

const unlimited = -1;
