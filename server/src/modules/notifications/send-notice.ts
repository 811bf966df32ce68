/** Puts a notice into the form its receiver wants and sends it. */

import { createHmac } from "node:crypto";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import type { Mail } from "#modules/mail/mail.ts";
import { type Notice, type Outbound, webhookSecretContext } from "./notifications.ts";
import type { Receiver } from "./quota-warnings.repo.ts";

export type Sent = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** Never throws for what a receiver or a mail server does. */
export type SendNotice = (receiver: Receiver, notice: Notice) => Promise<Sent>;

export type SendNoticeDeps = {
  readonly mail: Mail;
  readonly outbound: Outbound;
  readonly secrets: Secrets;
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

function filled({ content, values }: Notice): string {
  let next = 0;
  return content.replaceAll("{{value}}", () => values[next++] ?? "");
}
