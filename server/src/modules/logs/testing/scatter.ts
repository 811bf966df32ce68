import { seededRandom } from "#base/testing/random.ts";
import type { CallLogRow } from "#modules/logs/logs.ts";
import { call, hour, now } from "./logs.ts";

/**
 * Makes log rows spread over three weeks, with some full hours and many empty ones. The random
 * numbers are seeded, so the rows are the same in each run.
 */
export function scatter(count: number): CallLogRow[] {
  const { below, pick } = seededRandom(7);
  return Array.from({ length: count }, (_, at) => {
    const isBobs = below(4) === 0;
    // Some calls of the playground, which have no token.
    const withToken = below(10) > 0;
    return {
      ...call,
      request_id: `r${at}`,
      created_at: now - below(3) * below(200) * hour - below(3 * hour),
      type: pick([2, 2, 2, 2, 2, 5, 4]),
      user_id: isBobs ? 8 : 7,
      username: isBobs ? "bob" : "alice",
      token_id: withToken ? (isBobs ? 12 : 11) : 0,
      token_name: withToken ? (isBobs ? "bobs" : "laptop") : "playground-default",
      channel: pick([1, 2, 3, 3, 3, 3]),
      model_name: below(40) === 0 ? "rare-model" : pick(["gpt-4o", "GPT-4o-mini", "claude"]),
      group: below(10) === 0 ? "vip" : "default",
    };
  });
}
