/** Sends a notice by one notification way, with stand-ins for the network and the mail server. */

import type { NotifyType } from "@tollgate/contract/kinds/notice-ways.ts";
import { randomBytes } from "node:crypto";
import { openSecrets } from "#base/secrets.ts";
import type { Notice, Outbound } from "#modules/notifications/notifications.ts";
import { openSendNotice } from "#modules/notifications/send-notice.ts";
import { sealSettings } from "#modules/notifications/settings.ts";

const secrets = openSecrets(randomBytes(32).toString("hex"));

export const notice: Notice = {
  type: "quota_exceed",
  title: "您的额度即将用尽",
  content: "剩余 {{value}}。",
  values: ["7"],
};

/**
 * Sends `told` to a user with these settings. Returns the requests and e-mails that were sent, and
 * the result. The system's name is Gate, the time is 0.
 */
export async function deliver(
  way: NotifyType,
  settings: Readonly<Record<string, unknown>>,
  { answer, told = notice }: { answer?: Awaited<ReturnType<Outbound>>; told?: Notice } = {},
) {
  const requests: Parameters<Outbound>[0][] = [];
  const mails: { readonly to: string; readonly subject: string; readonly text: string }[] = [];
  const sendNotice = openSendNotice({
    mail: { isSetUp: () => true, send: async (mail) => void mails.push(mail) },
    outbound: async (request) => {
      requests.push(request);
      return answer ?? { ok: true, text: "" };
    },
    secrets,
    systemName: () => "Gate",
    now: () => 0,
  });
  const receiver = {
    user_id: 7,
    notify_type: way,
    email: "alice@example.com",
    language: "",
    settings: sealSettings(secrets, 7, { [way]: settings }),
  };
  return { requests, mails, result: await sendNotice(receiver, told) };
}
