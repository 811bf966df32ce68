/** Puts a notice into the form its receiver wants and sends it. */

import { createHmac } from "node:crypto";
import type { RobotType } from "@tollgate/contract/notifications.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import type { Mail } from "#modules/mail/mail.ts";
import {
  type Notice,
  type Outbound,
  robotKeyContext,
  webhookSecretContext,
} from "./notifications.ts";
import type { Receiver } from "./receivers.repo.ts";
import { sendByRobot } from "./robots.ts";

/** `reason`: a code of lower-case letters, digits and `-`, or what is said of a letter in words. */
export type Sent = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** Never throws for what a receiver or a mail server does. */
export type SendNotice = (receiver: Receiver, notice: Notice) => Promise<Sent>;

export type SendNoticeDeps = {
  readonly mail: Mail;
  readonly outbound: Outbound;
  readonly secrets: Secrets;
  /** Option `SystemName`. */
  readonly systemName: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
};

export function openSendNotice(deps: SendNoticeDeps): SendNotice {
  return async (receiver, notice) => {
    switch (receiver.notify_type) {
      case "webhook":
        return await sendWebhook(deps, receiver, notice);
      case "bark":
        return await sendBark(deps, receiver, notice);
      case "dingtalk":
      case "wecom":
        return await sendToRobot(deps, receiver.notify_type, { receiver, notice });
      default:
        return await sendLetter(deps, receiver, notice);
    }
  };
}

async function sendLetter({ mail }: SendNoticeDeps, receiver: Receiver, notice: Notice) {
  const to = receiver.notification_email || receiver.email;
  if (to === "") return { ok: false, reason: "no-address" } as const;
  if (!mail.isSetUp()) return { ok: false, reason: "no-mail-server" } as const;
  try {
    await mail.send({ to, subject: notice.title, text: `${filled(notice)}\n` });
    return { ok: true } as const;
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, reason: error.message } as const;
    throw error;
  }
}

/** The values are sent apart as well, so that programs need not read text. */
async function sendWebhook(
  { outbound, secrets, now }: SendNoticeDeps,
  receiver: Receiver,
  notice: Notice,
): Promise<Sent> {
  const body = JSON.stringify({ ...notice, timestamp: unixSeconds(now()) });
  const sealed = receiver.webhook_secret ?? "";
  const signature =
    sealed === "" ? {} : { "x-webhook-signature": sign(secrets, receiver.user_id, sealed, body) };
  const headers = { "content-type": "application/json", ...signature };
  return await outbound({ method: "POST", url: receiver.webhook_url ?? "", headers, body });
}

/** Hex HMAC-SHA256 of the body. */
function sign(secrets: Secrets, userId: number, sealed: string, body: string): string {
  const secret = secrets.open(webhookSecretContext(userId), sealed);
  return createHmac("sha256", secret).update(body).digest("hex");
}

/** Bark takes title and text as parts of the address. */
async function sendBark({ outbound }: SendNoticeDeps, receiver: Receiver, notice: Notice) {
  const url = (receiver.bark_url ?? "")
    .replaceAll("{{title}}", encodeURIComponent(notice.title))
    .replaceAll("{{content}}", encodeURIComponent(filled(notice)));
  return await outbound({ method: "GET", url, headers: {}, body: "" });
}

/** Begins with the system's name, which a robot that passes on certain words only is told of. */
async function sendToRobot(
  { outbound, secrets, systemName }: SendNoticeDeps,
  robot: RobotType,
  { receiver, notice }: { readonly receiver: Receiver; readonly notice: Notice },
): Promise<Sent> {
  const sealed = receiver.robot_key ?? "";
  if (sealed === "" || receiver.robot_type !== robot) return { ok: false, reason: "no-robot-key" };
  const key = secrets.open(robotKeyContext(receiver.user_id, robot), sealed);
  const text = `${systemName()}：${notice.title}\n${filled(notice)}`;
  return await sendByRobot(outbound, robot, { key, text });
}

function filled({ content, values }: Notice): string {
  let next = 0;
  return content.replaceAll("{{value}}", () => values[next++] ?? "");
}
