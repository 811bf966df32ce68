/** Notifies root of what happens to channels automatically. */

import type { Logger } from "#base/logger.ts";
import type { RateLimits, RateRule } from "#base/rate-limit.ts";
import type { ChannelNotices, ChannelSwitch, Notice } from "./notifications.ts";
import type { NotificationStore } from "./notifications.store.ts";
import type { SendNotice } from "./send-notice.ts";

export type ChannelNoticeDeps = {
  readonly store: Pick<NotificationStore, "findRootReceivers">;
  readonly sendNotice: SendNotice;
  readonly limits: RateLimits;
  readonly log: Logger;
};

/** Most notices of one type to one user, so that an unstable channel fills no mailbox. */
const noticeRule: RateRule = { name: "channel-notice", windowMs: 10 * 60_000, max: 2 };

export function openChannelNotices(deps: ChannelNoticeDeps): ChannelNotices {
  const { store, sendNotice, limits, log } = deps;

  async function tell(notice: Notice): Promise<void> {
    for (const receiver of await store.findRootReceivers()) {
      const { user_id } = receiver;
      const { allowed } = await limits.take(noticeRule, `${user_id} ${notice.type}`);
      if (!allowed) continue;
      const sent = await sendNotice(receiver, notice);
      if (sent.ok) continue;
      log.info({ userId: user_id, reason: sent.reason }, "a notice on channels was not delivered");
    }
  }

  const tellSafely = async (notice: Notice): Promise<void> =>
    await tell(notice).catch((error: unknown) =>
      log.warn({ err: error }, "root could not be notified about channels"),
    );
  return {
    switched: async (change) => await tellSafely(switchNotice(change)),
    tested: async ({ total, failed }) =>
      await tellSafely({
        type: "channel_test",
        title: "通道测试完成",
        content: "已测试 {{value}} 个通道，其中 {{value}} 个失败。",
        values: [String(total), String(failed)],
      }),
  };
}

function switchNotice({ channelId, name, status, reason }: ChannelSwitch): Notice {
  const type = `channel_update_${channelId}_${status}` as const;
  const named = [name, String(channelId)];
  return status === 1
    ? {
        type,
        title: `通道「${name}」（#${channelId}）已被启用`,
        content: "通道「{{value}}」（#{{value}}）测试成功，已被启用。",
        values: named,
      }
    : {
        type,
        title: `通道「${name}」（#${channelId}）已被禁用`,
        content: "通道「{{value}}」（#{{value}}）已被禁用，原因：{{value}}",
        values: [...named, reason],
      };
}
