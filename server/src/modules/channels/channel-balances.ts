/** Reads the balance of an upstream account: for one channel, or in the background for all. */

import type { ChannelRound } from "@tollgate/contract/channel-probes.ts";
import { unixSeconds } from "#base/clock.ts";
import type { RemoteStore } from "#db/store.ts";
import { openRounds } from "./channel-rounds.ts";
import type { channelStore } from "./channels.store.ts";
import type { BalanceOutcome, ChannelProbes, TestRules } from "./channels.ts";

type ChannelBalanceDeps = {
  readonly store: RemoteStore<typeof channelStore>;
  readonly askBalance: ChannelProbes["askBalance"];
  /** Whether an upstream of this channel type has an endpoint that tells the balance. */
  readonly tellsBalance: (type: number) => boolean;
  readonly testRules: () => Pick<TestRules, "automaticDisable">;
  /** Resolves once the written changes are in effect on this node. */
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly report: (error: unknown) => void;
};

export type ChannelBalances = {
  /** Asks the upstream and stores its answer. After a failure the last stored balance stays. */
  update(channelId: number): Promise<BalanceOutcome>;
  /**
   * Starts to update the balances of all enabled channels. A channel whose balance is used up is
   * disabled if the options and the channel allow it.
   *
   * @returns false when a round is already running.
   */
  start(): boolean;
  round(): ChannelRound;
};

const enabled = 1;

export function openChannelBalances(deps: ChannelBalanceDeps): ChannelBalances {
  const { store, askBalance, testRules, applyChanges, now } = deps;
  const rounds = openRounds(deps.report);

  async function update(channelId: number): Promise<BalanceOutcome> {
    const outcome = await askBalance(channelId);
    if (outcome.ok) {
      const { balance } = outcome;
      const at = unixSeconds(now());
      await store.saveBalance({ id: channelId, balance, balance_updated_time: at });
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

  async function listTelling(): Promise<number[]> {
    const ids = await store.listIds({ statuses: [enabled] });
    const loaded = await store.loadChannels(ids);
    return loaded.flatMap(({ row }) => (deps.tellsBalance(row.type) ? [row.id] : []));
  }

  return {
    update,
    start: () => rounds.start(listTelling, updateInRound),
    round: rounds.read,
  };
}
