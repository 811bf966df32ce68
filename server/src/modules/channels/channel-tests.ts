/**
 * Tests channels by small calls to their upstreams: a single channel on request, or many in the
 * background.
 */

import type { ChannelRound } from "@tollgate/contract/endpoints/channel-probes.ts";
import { unixSeconds } from "#base/clock.ts";
import type { RemoteStore } from "#db/store.ts";
import { findProvider, listProviders } from "#providers/registry.ts";
import { openRounds } from "./channel-rounds.ts";
import { type ChannelProbes, judgeTest, type TestOutcome, type TestRules } from "./channels.ts";
import type { ChannelFilter } from "./channels.repo.ts";
import type { channelStore } from "./channels.store.ts";
import { openSharedRounds } from "./shared-rounds.ts";

type ChannelTestDeps = {
  readonly store: RemoteStore<typeof channelStore>;
  readonly testChannel: ChannelProbes["testChannel"];
  readonly testRules: () => TestRules;
  /** Resolves once this node uses every configuration change that was written before the call. */
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
  /**
   * Called with the exception when a background test failed for a reason that is not the channel's
   * fault.
   */
  readonly report: (error: unknown) => void;
  /** Called with the counts when a test of all channels has ended, unless it was stopped. */
  readonly tested?: (round: ChannelRound) => void;
};

export type ChannelTester = {
  /**
   * Tests a channel, stores how long the test took, and disables or enables the channel as the
   * options say. `isStream`: asks for a stream; by default for a whole answer.
   */
  test(channelId: number, model: string | null, isStream?: boolean): Promise<TestOutcome>;
  /**
   * Tests a channel after a client's call has failed in a way that suggests a fault of the channel,
   * and disables it for `reason` when the test fails too. Does so at most once a minute for a
   * channel, because each test costs money and clients can provoke failed calls.
   */
  suspect(channelId: number, reason: string): Promise<void>;
  /**
   * Starts to test the channels that match `filter`, except those disabled by hand, in the
   * background.
   *
   * @returns false when such a test of many channels is already running on some node; a second one
   *   is not started then.
   */
  start(filter: ChannelFilter | null, model: string | null): Promise<boolean>;
  /**
   * Starts to test the channels whose last test began before this time, in Unix seconds, except
   * those disabled by hand, in the background. `round` does not show this test, nobody is told of
   * its end, and it does nothing while the one before still runs. Each channel is tested by one node.
   */
  startDue(before: number): void;
  /** Stops the running test of many channels, on any node. @returns false when there is none. */
  stop(): Promise<boolean>;
  round(): Promise<ChannelRound>;
};

/** How long a suspect channel is not tested as a suspect again, in milliseconds. */
const suspectTestMs = 60_000;

/** The longest stored reason for a failed test, in characters; a longer one is cut. */
const testErrorMax = 500;

/**
 * The statuses of the channels that a test of many channels includes: enabled, and disabled
 * automatically.
 */
const testedStatuses = [1, 3];

/** The types whose channels cannot be tested: those of tasks. A round leaves them out. */
const untestable = listProviders()
  .filter((provider) => !provider.testable)
  .map((provider) => provider.type);

export function openChannelTester(deps: ChannelTestDeps): ChannelTester {
  const { store, testChannel, testRules, applyChanges, now } = deps;
  const rounds = openSharedRounds({ kind: "tests", store, report: deps.report });
  const dueRounds = openRounds(deps.report);

  async function test(
    channelId: number,
    model: string | null,
    isStream = false,
  ): Promise<TestOutcome> {
    const outcome = await testChannel(channelId, model, isStream);
    const nowMs = now();
    const response_time = Math.max(1, Math.round(outcome.seconds * 1_000));
    const found = outcome.ok
      ? { response_time, test_error: "" }
      : { test_error: outcome.message.slice(0, testErrorMax) || "测试失败" };
    await store.saveTest({ id: channelId, test_time: unixSeconds(nowMs), ...found });
    // The channel is read after the test, so that a change that an administrator made meanwhile is
    // respected.
    const channel = await store.findChannel(channelId);
    const verdict = channel === undefined ? null : judgeTest(channel, outcome, testRules());
    if (verdict !== null && (await store.switchAutomatically({ channelId, ...verdict, nowMs }))) {
      await applyChanges();
    }
    return outcome;
  }

  /**
   * Channel id → when the channel was last tested as a suspect, in Unix milliseconds, oldest first.
   * `suspect` drops entries older than `suspectTestMs`.
   */
  const suspectsTested = new Map<number, number>();

  async function suspect(channelId: number, reason: string): Promise<void> {
    const nowMs = now();
    for (const [id, testedMs] of suspectsTested) {
      if (nowMs - testedMs < suspectTestMs) break;
      suspectsTested.delete(id);
    }
    if (suspectsTested.has(channelId)) return;
    suspectsTested.set(channelId, nowMs);
    const listed = await store.findChannel(channelId);
    // A channel that cannot be tested is not disabled, because only the client's call is known to
    // have failed.
    if (listed === undefined || findProvider(listed.type)?.testable !== true) return;
    const { ok } = await test(channelId, null);
    if (ok || !testRules().automaticDisable) return;
    const channel = await store.findChannel(channelId);
    if (channel?.auto_ban !== 1) return;
    const change = { channelId, status: 3, reason, nowMs: now() } as const;
    if (await store.switchAutomatically(change)) await applyChanges();
  }

  return {
    test,
    suspect,
    async start(filter, model) {
      const list = () =>
        store.listIds({ statuses: testedStatuses, exceptTypes: untestable }, filter);
      const ended = (round: ChannelRound) => {
        if (filter === null && !round.stopped) deps.tested?.(round);
      };
      return await rounds.start(list, async (id) => (await test(id, model)).ok, ended);
    },
    startDue(before) {
      const seen = new Map<number, number>();
      const list = async () => {
        const set = { before, statuses: testedStatuses, exceptTypes: untestable };
        for (const { id, test_time } of await store.listTestedBefore(set)) seen.set(id, test_time);
        return [...seen.keys()];
      };
      dueRounds.start(list, async (id) => {
        const claim = { id, seen: seen.get(id) ?? 0, at: unixSeconds(now()) };
        return (await store.claimTest(claim)) && (await test(id, null)).ok;
      });
    },
    stop: rounds.stop,
    round: rounds.read,
  };
}
