import { expect, test } from "bun:test";
import { attemptCounts, firstByteBuckets } from "#canonical/attempts.ts";
import { openAttemptTallies } from "./attempt-tallies.ts";

function named(counts: readonly number[]) {
  const entries = attemptCounts.map((name, index) => [name, counts[index]] as const);
  return Object.fromEntries(entries.filter(([, count]) => count !== 0));
}

test("attempts are counted by channel and model, failures by their class", () => {
  const tallies = openAttemptTallies();
  tallies.answered(1, "m", false, 12);
  tallies.answered(1, "m", true, 1_200);
  tallies.broke(1, "m");
  for (const code of [
    "http-401",
    "http-429",
    "http-500",
    "http-301",
    "timeout-first-byte",
    "answer-error",
    "http-404",
    "aborted",
  ]) {
    tallies.failed(2, "m", false, code);
  }
  const [one, two, ...more] = tallies.take();
  expect(more).toEqual([]);
  expect(one).toMatchObject({ channelId: 1, model: "m" });
  expect(named(one?.counts ?? [])).toEqual({ attempts: 2, answered: 2, retries: 1, broken: 1 });
  expect(one?.counts.slice(-firstByteBuckets).filter((count) => count > 0)).toEqual([1, 1]);
  expect(named(two?.counts ?? [])).toEqual({
    attempts: 7,
    failed_key: 1,
    failed_limit: 1,
    failed_server: 2,
    failed_network: 1,
    failed_answer: 1,
    rejected: 1,
    cancelled: 1,
  });
});

test("counts are taken once, and come back when they could not be written", () => {
  const tallies = openAttemptTallies();
  tallies.answered(1, "m", false, 12);
  const taken = tallies.take();
  expect(tallies.take()).toEqual([]);
  tallies.answered(1, "m", false, 12);
  tallies.giveBack(taken);
  expect(tallies.take().map(({ counts }) => named(counts))).toEqual([{ attempts: 2, answered: 2 }]);
});
