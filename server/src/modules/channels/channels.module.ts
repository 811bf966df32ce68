/** Channels, their keys, tests, balances and automatic switching. */

import type { Logger } from "#base/logger.ts";
import type { RemoteStore } from "#db/store.ts";
import type { ConfiguredChannels } from "#modules/configuration/configuration.ts";
import { defineModule, type Given } from "#modules/module.ts";
import type { ChannelNotices } from "#modules/notifications/notifications.ts";
import { findProvider } from "#providers/registry.ts";
import { channelJobs } from "./channel-jobs.ts";
import { openRoutedChannels } from "./channel-repair.ts";
import { openChannelBalances } from "./channel-balances.ts";
import { openConfiguredChannels } from "./configured-channels.ts";
import { openChannelTester } from "./channel-tests.ts";
import { channelHandlers } from "./channels.handlers.ts";
import { tagHandlers } from "./channel-tags.handlers.ts";
import type { channelStore } from "./channels.store.ts";
import type { Channels } from "./channels.ts";

type Store = RemoteStore<typeof channelStore>;

export const channelsModule = defineModule({
  needs: ["notifications"],
  open(ports: Given<Store, { readonly notifications: ChannelNotices }>) {
    const { secrets, network, probes, applyChanges, options, clock, log } = ports;
    const { notifications } = ports.needs;
    const store = noticeSwitches(ports.store, notifications);
    const shared = {
      store,
      testRules: () => ({
        automaticDisable: options.read("AutomaticDisableChannelEnabled"),
        automaticEnable: options.read("AutomaticEnableChannelEnabled"),
        slowest: options.read("ChannelDisableThreshold"),
      }),
      applyChanges,
      now: clock.now,
      report: (error: unknown) => log.warn({ err: error }, "background work on a channel failed"),
    };
    const tester = openChannelTester({
      ...shared,
      testChannel: probes.testChannel,
      tested: (round) => void notifications.tested(round),
    });
    const balances = openChannelBalances({
      ...shared,
      tellsBalance: (type) => findProvider(type)?.balance !== undefined,
      askBalance: probes.askBalance,
      updated: (round) => void notifications.balancesRead(round),
      lowBalance: () => options.read("ChannelBalanceRemindThreshold"),
      tellLow: (low) => void notifications.balanceLow(low),
    });
    const routed = openRoutedChannels({
      store,
      secrets,
      applyChanges,
      report: (channelId, reason) => log.error({ channelId, reason }, "a channel cannot be used"),
    });
    const configured = openConfiguredChannels({ store, secrets, policy: network.policy });
    const face: Channels & { readonly configured: ConfiguredChannels } = {
      configured,
      ...relayFace({ ...shared, tester, log }),
    };
    return {
      handlers: [
        ...tagHandlers(shared),
        ...channelHandlers({
          ...shared,
          ...probes,
          secrets,
          channelStanding: ports.channelStanding,
          repair: routed.repair,
          policy: network.policy,
          tester,
          balances,
        }),
      ],
      snapshot: { loadChannels: routed.load },
      jobs: channelJobs({
        ...shared,
        tester,
        balances,
        claimDue: store.claimDue,
        minutesOf: options.read,
      }),
      face,
    };
  },
});

/** What the relay asks of channels that it found at fault; it waits for none of it. */
function relayFace(
  deps: Pick<Parameters<typeof channelHandlers>[0], "applyChanges" | "now" | "tester"> & {
    readonly store: Store;
    readonly log: Logger;
  },
): Channels {
  const { store, applyChanges, now, tester, log } = deps;
  const tell = (channelId: number, what: string) => (error: unknown) =>
    log.error({ channelId, err: error }, what);
  return {
    disable(channelId, reason, status = 3) {
      const change = { channelId, status, reason, nowMs: now() };
      store
        .switchAutomatically(change)
        .then(async (switched) => (switched ? await applyChanges() : undefined))
        .catch(tell(channelId, "a channel could not be disabled"));
    },
    suspect(channelId, reason) {
      tester
        .suspect(channelId, reason)
        .catch(tell(channelId, "a suspect channel could not be tested"));
    },
  };
}

/**
 * Wraps the store so that root is notified whenever a channel was disabled or enabled
 * automatically, no matter which code asked for it.
 */
function noticeSwitches(store: Store, notices: ChannelNotices): Store {
  return {
    ...store,
    async switchAutomatically(change) {
      const switched = await store.switchAutomatically(change);
      const channel = switched ? await store.findChannel(change.channelId) : undefined;
      if (channel !== undefined) void notices.switched({ ...change, name: channel.name });
      return switched;
    },
  };
}
