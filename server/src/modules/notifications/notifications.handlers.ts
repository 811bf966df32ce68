/** The console API of notices: a user's settings, and a message that tries them. */

import * as contract from "@tollgate/contract/endpoints/notifications.ts";
import type { AddressPolicy } from "#base/address-policy.ts";
import type { RateLimits, RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import { type Handler, handle, reply } from "#http/handler.ts";
import type { NotificationStore } from "./notifications.store.ts";
import type { SendNotice } from "./send-notice.ts";
import { explainFailure, testNotice } from "./notice-test.ts";
import { changeSettings, openSettings, sealSettings } from "./settings.ts";

type NotificationDeps = {
  readonly store: NotificationStore;
  readonly secrets: Secrets;
  /** Checks addresses that users enter for their notices: these must be public. */
  readonly policy: AddressPolicy;
  readonly limits: RateLimits;
  readonly sendNotice: SendNotice;
};

/** The largest number of test notices of one user. Few are needed, because their text is fixed. */
const testRule: RateRule = { name: "test-notice", windowMs: 10 * 60_000, max: 5, exact: true };

export function notificationHandlers(deps: NotificationDeps): Handler[] {
  const { store, secrets, policy, limits, sendNotice } = deps;
  return [
    handle(contract.updateSetting, async (input, { userId }) => {
      const { notify_type, quota_warning_threshold, events, ...sent } = input;
      if (quota_warning_threshold === undefined) {
        const field = "quota_warning_threshold";
        throw new Refusal("invalid-input", "预警阈值必须大于0", { field });
      }
      const before = await store.findSettings(userId);
      const settings = changeSettings(
        openSettings(secrets, userId, before),
        { chosen: notify_type, sent },
        policy,
      );
      await store.saveSetting({
        user_id: userId,
        notify_type,
        quota_warning_threshold,
        events,
        settings: sealSettings(secrets, userId, settings),
        before,
      });
      return reply(undefined, { message: "设置已更新" });
    }),

    handle(contract.testSetting, async (_, { userId }) => {
      const { allowed, retryAfterMs } = await limits.take(testRule, String(userId));
      if (!allowed) throw new Refusal("rate-limited", "操作过于频繁，请稍后再试", { retryAfterMs });
      const receiver = await store.findReceiver(userId);
      if (receiver === undefined) throw new Refusal("not-found", "用户不存在");
      const sent = await sendNotice(receiver, testNotice(receiver.language));
      if (!sent.ok) throw new Refusal("outside-failed", explainFailure(sent));
      return reply(undefined, { message: "测试通知已发送" });
    }),
  ];
}
