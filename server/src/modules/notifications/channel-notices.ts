/**
 * Notifies root when a channel was enabled or disabled automatically, or when a test of all
 * channels or an update of all balances has ended.
 */

import english from "@tollgate/contract/words/server-messages.en.json" with { type: "json" };
import { openMessages } from "@tollgate/contract/words/server-messages.ts";
import type { Logger } from "#base/logger.ts";
import type { RateLimits, RateRule } from "#base/rate-limit.ts";
import { writeNotice } from "./notice-texts.ts";
import type { ChannelNotices, ChannelSwitch, Notice } from "./notifications.ts";
import type { NotificationStore } from "./notifications.store.ts";
import type { SendNotice } from "./send-notice.ts";

export type ChannelNoticeDeps = {
  readonly store: Pick<NotificationStore, "claimNotice" | "findRootReceivers" | "forgetNotice">;
  readonly sendNotice: SendNotice;
  readonly limits: RateLimits;
  /** Formats an amount of quota as the console does. */
  readonly showQuota: (quota: number) => string;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
};

/**
 * The largest number of notices of one type to one user in ten minutes, of those that tell the end
 * of what root has started. Alerts are sent at most once in two hours, by all nodes together and
 * across restarts, so that an unstable channel does not fill a mailbox.
 */
const roundRule: RateRule = { name: "channel-notice", windowMs: 10 * 60_000, max: 2, exact: true };

export function openChannelNotices(deps: ChannelNoticeDeps): ChannelNotices {
  const { store, sendNotice, limits, log } = deps;

  async function tell(kind: "alert" | "round", write: (language: string) => Notice): Promise<void> {
    for (const receiver of await store.findRootReceivers()) {
      const { user_id: userId } = receiver;
      const notice = write(receiver.language);
      const told = { userId, type: notice.type, nowMs: deps.now() };
      const isFree =
        kind === "alert"
          ? await store.claimNotice(told)
          : (await limits.take(roundRule, `${userId} ${notice.type}`)).allowed;
      if (!isFree) continue;
      const sent = await sendNotice(receiver, notice);
      if (sent.ok) continue;
      if (kind === "alert") await store.forgetNotice(told);
      log.info({ userId, reason: sent.reason }, "a notice on channels was not delivered");
    }
  }

  const tellSafely = async (
    kind: "alert" | "round",
    write: (language: string) => Notice,
  ): Promise<void> =>
    await tell(kind, write).catch((error: unknown) =>
      log.warn({ err: error }, "root could not be notified about channels"),
    );
  return {
    switched: async (change) =>
      await tellSafely("alert", (language) => switchNotice(change, language)),
    balanceLow: async ({ channelId, name, balance }) =>
      await tellSafely("alert", (language) => ({
        type: `channel_balance_${channelId}`,
        ...writeNotice("channelBalanceLow", language, [
          name,
          String(channelId),
          name,
          String(channelId),
          balance.toFixed(2),
        ]),
      })),
    belowCost: async ({ channelId, name, model, charged, cost }) =>
      await tellSafely("alert", (language) => ({
        type: `below_cost_${channelId}`,
        ...writeNotice("belowCost", language, [
          name,
          String(channelId),
          name,
          String(channelId),
          model,
          ...[charged, cost, cost - charged].map(deps.showQuota),
        ]),
      })),
    tested: async ({ total, failed }) =>
      await tellSafely("round", (language) => ({
        type: "channel_test",
        ...writeNotice("channelsTested", language, [String(total), String(failed)]),
      })),
    balancesRead: async ({ total, failed }) =>
      await tellSafely("round", (language) => ({
        type: "channel_balances",
        ...writeNotice("balancesRead", language, [String(total), String(failed)]),
      })),
  };
}

function switchNotice(
  { channelId, name, status, reason }: ChannelSwitch,
  language: string,
): Notice {
  const named = [name, String(channelId)];
  const text =
    status === 1
      ? writeNotice("channelEnabled", language, named)
      : writeNotice("channelDisabled", language, [...named, reasonIn(reason, language)]);
  return { type: `channel_update_${channelId}_${status}`, ...text };
}

const translate = openMessages(english);

/** Channels keep their reason as one of the server's messages, in Chinese. */
function reasonIn(reason: string, language: string): string {
  return (language === "en" ? translate(reason) : undefined) ?? reason;
}
