/**
 * Reads the balance of a channel's account at its upstream: for one channel on request, or in the
 * background for all.
 */

import type { ChannelRound } from "@tollgate/contract/endpoints/channel-probes.ts";
import { unixSeconds } from "#base/clock.ts";
import type { RemoteStore } from "#db/store.ts";
import { openRounds } from "./channel-rounds.ts";
import type { channelStore } from "./channels.store.ts";
import type { BalanceOutcome, ChannelProbes, TestRules } from "./channels.ts";
import { openSharedRounds } from "./shared-rounds.ts";

type ChannelBalanceDeps = {
  readonly store: RemoteStore<typeof channelStore>;
  readonly askBalance: ChannelProbes["askBalance"];
  /** Whether upstreams of this channel type have an endpoint that returns the account's balance. */
  readonly tellsBalance: (type: number) => boolean;
  readonly testRules: () => Pick<TestRules, "automaticDisable">;
  /** Root is told of balances below this; 0: never. */
  readonly lowBalance: () => number;
  readonly tellLow: (low: {
    readonly channelId: number;
    readonly name: string;
    readonly balance: number;
  }) => void;
  /** Resolves once this node uses every configuration change that was written before the call. */
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly report: (error: unknown) => void;
  /** Called with the counts when an update of all balances has ended, unless it was stopped. */
  readonly updated?: (round: ChannelRound) => void;
};

export type ChannelBalances = {
  /**
   * Asks the channel's upstream for its balance and stores it. If that fails, the balance stored
   * before stays.
   */
  update(channelId: number): Promise<BalanceOutcome>;
  /**
   * Starts to update the balances of all enabled channels, in the background. A channel whose
   * balance is used up is disabled if the options and the channel allow it.
   *
   * @returns false when such an update is already running on some node; a second one is not started
   *   then.
   */
  start(): Promise<boolean>;
  /**
   * Starts to update the balances that were last asked for before this time, in Unix seconds, in the
   * background. `round` does not show it, nobody is told of its end, and it does nothing while the
   * one before still runs.
   */
  startDue(before: number): void;
  /** Stops the running update of all balances, on any node. @returns false when there is none. */
  stop(): Promise<boolean>;
  round(): Promise<ChannelRound>;
};

const enabled = 1;

export function openChannelBalances(deps: ChannelBalanceDeps): ChannelBalances {
  const { store, askBalance, testRules, applyChanges, now } = deps;
  const rounds = openSharedRounds({ kind: "balances", store, report: deps.report });
  const dueRounds = openRounds(deps.report);
  /**
   * Channel id → when its balance was last asked for on time, in Unix seconds, whatever came of it:
   * one that cannot be read is not asked for at once again. Has an entry for each enabled channel.
   */
  let askedAt: ReadonlyMap<number, number> = new Map();

  async function update(channelId: number): Promise<BalanceOutcome> {
    const outcome = await askBalance(channelId);
    if (outcome.ok) {
      const { balance } = outcome;
      const at = unixSeconds(now());
      await store.saveBalance({ id: channelId, balance, balance_updated_time: at });
      if (balance < deps.lowBalance()) {
        const channel = await store.findChannel(channelId);
        if (channel !== undefined) deps.tellLow({ channelId, name: channel.name, balance });
      }
    }
    return outcome;
  }

  async function updateInRound(channelId: number): Promise<boolean> {
    const outcome = await update(channelId);
    if (!outcome.ok) return false;
    if (outcome.balance > 0 || !testRules().automaticDisable) return true;
    const channel = await store.findChannel(channelId);
    if (channel?.auto_ban !== 1) return true;
    const change = { channelId, status: 3, reason: "余额不足", nowMs: now() } as const;
    if (await store.switchAutomatically(change)) await applyChanges();
    return true;
  }

  async function loadTelling() {
    const ids = await store.listIds({ statuses: [enabled] });
    const loaded = await store.loadChannels(ids);
    return loaded.flatMap(({ row }) => (deps.tellsBalance(row.type) ? [row] : []));
  }

  async function listTelling(): Promise<number[]> {
    return (await loadTelling()).map(({ id }) => id);
  }

  async function listDue(before: number): Promise<number[]> {
    const rows = await loadTelling();
    const lastOf = (id: number, updated: number) => Math.max(updated, askedAt.get(id) ?? 0);
    const due = rows.filter((row) => lastOf(row.id, row.balance_updated_time) < before);
    const asked = new Set(due.map(({ id }) => id));
    const at = unixSeconds(now());
    askedAt = new Map(
      rows.map(({ id }) => [id, asked.has(id) ? at : (askedAt.get(id) ?? 0)] as const),
    );
    return [...asked];
  }

  return {
    update,
    start: async () =>
      await rounds.start(listTelling, updateInRound, (round) => {
        if (!round.stopped) deps.updated?.(round);
      }),
    startDue(before) {
      dueRounds.start(() => listDue(before), updateInRound);
    },
    stop: rounds.stop,
    round: rounds.read,
  };
}
