/** Sends a notice by the notification way that its receiver has chosen. */

import { notifyType, usualWay } from "@tollgate/contract/kinds/notice-ways.ts";
import type { Secrets } from "#base/secrets.ts";
import type { Notice } from "./notifications.ts";
import type { Receiver } from "./receivers.repo.ts";
import { senderOf } from "./senders/registry.ts";
import type { SenderPorts, SendResult } from "./senders/sender.ts";
import { openSettings, readWay } from "./settings.ts";

/**
 * Sends a notice. Does not throw if a receiver's settings or server or the mail server are at
 * fault, but returns the reason.
 */
export type SendNotice = (receiver: Receiver, notice: Notice) => Promise<SendResult>;

type SendNoticeDeps = SenderPorts & { readonly secrets: Secrets };

export function openSendNotice(deps: SendNoticeDeps): SendNotice {
  return async (receiver, notice) => {
    const { user_id: userId, email: accountEmail } = receiver;
    const way = notifyType.safeParse(receiver.notify_type).data ?? usualWay;
    const settings = openSettings(deps.secrets, userId, receiver.settings ?? "");
    const read = readWay(settings, way);
    if (!read.ok) {
      const reason = `no-${read.missing.replaceAll("_", "-")}`;
      return { ok: false, reason, message: read.message };
    }
    return await senderOf(way)(read.values, { notice, accountEmail }, deps);
  };
}
