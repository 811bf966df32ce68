import { mailAddress } from "@tollgate/contract/mail.ts";
import * as contract from "@tollgate/contract/notifications.ts";
import type { z } from "zod";
import { type AddressPolicy, judgeUrl } from "#base/address-policy.ts";
import type { RateLimits, RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import { type Handler, handle, reply } from "#http/handler.ts";
import { robotKeyContext, webhookSecretContext } from "./notifications.ts";
import type { NotificationStore } from "./notifications.store.ts";
import type { SendNotice } from "./send-notice.ts";
import { explainFailure, testNotice } from "./notice-test.ts";

export type NotificationDeps = {
  readonly store: NotificationStore;
  readonly secrets: Secrets;
  /** Where notices may be posted: what users name is only ever public. */
  readonly policy: AddressPolicy;
  readonly limits: RateLimits;
  readonly sendNotice: SendNotice;
};

/** Of one user: what a notice says is known, so it is of use for nothing else. */
const testRule: RateRule = { name: "test-notice", windowMs: 10 * 60_000, max: 5 };

export function notificationHandlers(deps: NotificationDeps): Handler[] {
  const { store, secrets, policy, limits, sendNotice } = deps;
  return [
    handle(contract.updateSetting, async (input, { userId }) => {
      const { webhook_secret: secret = "", robot_key: key = "" } = input;
      const robot = contract.robotType.safeParse(input.notify_type).data;
      await store.saveSetting({
        user_id: userId,
        ...readSetting(input, policy),
        events: input.events,
        webhook_secret: secret === "" ? "" : secrets.seal(webhookSecretContext(userId), secret),
        // A key says nothing of whose it is: it is the chosen robot's.
        robot_key:
          key === "" || robot === undefined
            ? ""
            : secrets.seal(robotKeyContext(userId, robot), key),
      });
      return reply(undefined, { message: "设置已更新" });
    }),

    handle(contract.testSetting, async (_, { userId }) => {
      const { allowed, retryAfterMs } = await limits.take(testRule, String(userId));
      if (!allowed) throw new Refusal("rate-limited", "操作过于频繁，请稍后再试", { retryAfterMs });
      const receiver = await store.findReceiver(userId);
      if (receiver === undefined) throw new Refusal("not-found", "用户不存在");
      const sent = await sendNotice(receiver, testNotice);
      if (!sent.ok) throw new Refusal("outside-failed", explainFailure(sent.reason));
      return reply(undefined, { message: "测试通知已发送" });
    }),
  ];
}

type Sent = z.output<(typeof contract.updateSetting)["input"]>;

/** @throws Refusal `invalid-input`. */
function readSetting(input: Sent, policy: AddressPolicy) {
  const { notify_type, quota_warning_threshold } = input;
  const { notification_email = "", webhook_url = "", bark_url = "" } = input;
  if (quota_warning_threshold === undefined) {
    throw invalid("quota_warning_threshold", "预警阈值必须大于0");
  }
  const email = notification_email === "" ? "" : readAddress(notification_email);
  if (notify_type === "webhook" && webhook_url === "") {
    throw invalid("webhook_url", "Webhook地址不能为空");
  }
  if (notify_type === "bark" && bark_url === "") {
    throw invalid("bark_url", "Bark推送地址不能为空");
  }
  if (webhook_url !== "" && !isPublic(webhook_url, policy)) {
    throw invalid("webhook_url", "无效的Webhook地址");
  }
  if (bark_url !== "" && !isPublic(bark_url, policy)) {
    throw invalid("bark_url", "无效的Bark推送地址");
  }
  return { notify_type, quota_warning_threshold, notification_email: email, webhook_url, bark_url };
}

/** Ports notices are posted to; empty: the scheme's own. */
const ports: readonly string[] = ["", "80", "443", "8080", "8443"];

/** As far as it can be judged before its name is resolved; the rest is judged when it is called. */
function isPublic(address: string, policy: AddressPolicy): boolean {
  const judged = judgeUrl(address, policy);
  // Placeholders stand behind the host, which is judged as it is.
  return judged.ok && ports.includes(judged.url.port) && !judged.url.hostname.includes("{");
}

function readAddress(text: string): string {
  const address = mailAddress.safeParse(text);
  if (!address.success) throw invalid("notification_email", "无效的邮箱地址");
  return address.data;
}

function invalid(field: string, message: string): Refusal {
  return new Refusal("invalid-input", message, { field });
}
