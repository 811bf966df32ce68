/** The sender of each notification way, by the way's id; sorted by id. */

import type { noticeWays } from "@tollgate/contract/kinds/notice-ways.ts";
import { type NoticeWay, type NotifyType } from "@tollgate/contract/kinds/notice-ways.ts";
import { sendByBark } from "./bark.ts";
import { sendByDingTalk } from "./dingtalk.ts";
import { sendByEmail } from "./email.ts";
import { sendByGotify } from "./gotify.ts";
import type { Sender } from "./sender.ts";
import { sendByWebhook } from "./webhook.ts";
import { sendByWeCom } from "./wecom.ts";
import { sendByWxPusher } from "./wxpusher.ts";

/** Each sender gets values of its own way's fields: `readWay` checks them against these fields. */
export const senders: { readonly [Way in NotifyType]: Sender<(typeof noticeWays)[Way]> } = {
  bark: sendByBark,
  dingtalk: sendByDingTalk,
  email: sendByEmail,
  gotify: sendByGotify,
  webhook: sendByWebhook,
  wecom: sendByWeCom,
  wxpusher: sendByWxPusher,
};

/** Returns the sender of a notification way that is only known at run time. */
export function senderOf(way: NotifyType): Sender<NoticeWay> {
  return senders[way] as Sender<NoticeWay>;
}
