/** Notices to users and alerts to root, sent by a job after the transaction that asked for them. */

import { openAddressPolicy } from "#base/address-policy.ts";
import type { Mail } from "#modules/mail/mail.ts";
import { defineModule, type Given } from "#modules/module.ts";
import { openBroadcasts } from "./broadcasts.ts";
import { openChannelNotices } from "./channel-notices.ts";
import { openLossNotices } from "./loss-notices.ts";
import { openMoneyNotices } from "./money-notices.ts";
import { notificationHandlers } from "./notifications.handlers.ts";
import { openSettingReader } from "./notifications.ts";
import type { NotificationStore } from "./notifications.store.ts";
import { openForwarder, openOutbound } from "./outbound.ts";
import { openQuotaWarnings } from "./quota-warnings.ts";
import { openPriceNotices } from "./price-notices.ts";
import { openSendNotice } from "./send-notice.ts";
import { openBudgetWarnings, openTokenNotices } from "./token-notices.ts";

/**
 * The policy for addresses that users enter: they must be public, whatever private addresses the
 * operator allows for channels.
 */
const publicPolicy = openAddressPolicy({ privateRanges: [], loopback: false });

const quotaWarningsMs = 30_000;

/**
 * The interval of broadcast batches. Together with the size of a batch it limits how many notices
 * are sent per minute.
 */
const broadcastsMs = 5_000;

export const notificationsModule = defineModule({
  needs: ["mail"],
  open(ports: Given<NotificationStore, { readonly mail: Mail }>) {
    const { store, options, secrets, snapshot, limits, clock, log, network, needs } = ports;
    const { now } = clock;
    const outbound = openForwarder({
      direct: openOutbound(network.transportTo(publicPolicy)),
      toForwarder: openOutbound(network.transport),
      forwarder: () => ({ url: options.read("WorkerUrl"), key: options.read("WorkerValidKey") }),
    });
    const sendNotice = openSendNotice({
      mail: needs.mail,
      outbound,
      secrets,
      systemName: () => options.read("SystemName"),
      now,
    });
    const shared = {
      store,
      sendNotice,
      log,
      serverAddress: () => options.read("ServerAddress"),
      /** Formats an amount of quota as the console does. */
      showQuota(quota: number): string {
        if (!options.read("DisplayInCurrencyEnabled")) return String(quota);
        return `$${(quota / Number(snapshot.prices.list.QuotaPerUnit)).toFixed(6)}`;
      },
      now,
    };
    return {
      handlers: notificationHandlers({ ...shared, secrets, policy: publicPolicy, limits }),
      jobs: [
        {
          name: "quota-warnings",
          everyMs: quotaWarningsMs,
          runs: "once-in-all-nodes",
          run: openQuotaWarnings({
            ...shared,
            threshold: () => options.read("QuotaRemindThreshold"),
            // Self-use mode has no wallet.
            balancePath: () => (options.read("SelfUseModeEnabled") ? "/setting" : "/topup"),
          }),
        },
        {
          name: "budget-warnings",
          everyMs: quotaWarningsMs,
          runs: "once-in-all-nodes",
          run: openBudgetWarnings(shared),
        },
        {
          name: "broadcasts",
          everyMs: broadcastsMs,
          runs: "once-in-all-nodes",
          run: openBroadcasts({
            ...shared,
            contactEveryDays: () => options.read("ContactEveryDays"),
          }),
        },
        {
          name: "money-notices",
          everyMs: broadcastsMs,
          runs: "once-in-all-nodes",
          run: openMoneyNotices(shared),
        },
      ] as const,
      face: {
        ...openChannelNotices({ ...shared, limits }),
        ...openLossNotices(shared),
        ...openPriceNotices(shared),
        ...openTokenNotices(shared),
        readSettingText: openSettingReader({ store, secrets }),
      },
    };
  },
});
