/**
 * Spreads the questions of each user over time: whoever asks faster than `everyMs` waits for the
 * next turn, so that a client that asks as fast as it can takes no more time of the others than one
 * that asks steadily.
 */
type Pace = {
  /** Returns how many milliseconds a question of this user waits; null: too many wait already. */
  take(userId: number): number | null;
};

type PaceRules = {
  /** The time between two turns of a user, in milliseconds. */
  readonly everyMs: number;
  /** How many turns a user who has asked nothing for a while has at once. */
  readonly atOnce: number;
  /** The longest wait for a turn, in milliseconds. */
  readonly waitMaxMs: number;
};

/** The most users whose turns are remembered; beyond that, those who asked longest ago are forgotten. */
const usersMax = 10_000;

/** @param elapsed milliseconds that never go back. */
export function openPace({ everyMs, atOnce, waitMaxMs }: PaceRules, elapsed: () => number): Pace {
  /** When the next turn of each user is, in the order of their last questions. */
  const turns = new Map<number, number>();
  return {
    take(userId) {
      const nowMs = elapsed();
      const earliest = nowMs - (atOnce - 1) * everyMs;
      const turn = Math.max(turns.get(userId) ?? earliest, earliest);
      const waitMs = Math.max(0, turn - nowMs);
      if (waitMs > waitMaxMs) return null;
      turns.delete(userId);
      turns.set(userId, turn + everyMs);
      const [oldest] = turns.keys();
      if (turns.size > usersMax && oldest !== undefined) turns.delete(oldest);
      return waitMs;
    },
  };
}
