/** The notice that a user sends as a test, and the message if it does not arrive. */

import type { Notice } from "./notifications.ts";
import { writeNotice } from "./notice-texts.ts";
import type { Sent } from "./senders/sender.ts";

type NotSent = Extract<Sent, { ok: false }>;

/** @param language the receiver's. */
export function testNotice(language: string): Notice {
  return { type: "test", ...writeNotice("test", language) };
}

const unreachable = "无法连接接收通知的服务器";
const late = "接收通知的服务器没有及时应答";
const unreadable = "接收通知的服务器的应答无法读取";

/** The messages, by the reasons of `Outbound`. */
const said: Readonly<Record<string, string>> = {
  "address-forbidden": "通知地址不是公网地址",
  "address-malformed": "通知地址无效",
  "address-unresolved": "找不到接收通知的服务器",
  "answer-compressed": unreadable,
  "answer-too-large": unreadable,
  "answer-truncated": unreadable,
  "connection-failed": unreachable,
  "timeout-between-chunks": late,
  "timeout-connect": unreachable,
  "timeout-first-byte": late,
  "timeout-total": late,
};

/** The message for a notice that was not delivered. */
export function explainFailure({ reason, message }: NotSent): string {
  if (message !== undefined) return message;
  const [, status] = /^http-(\d+)$/.exec(reason) ?? [];
  if (status !== undefined) return `接收通知的服务器返回了 HTTP ${status}`;
  // The reason of a mail server is readable text already.
  return said[reason] ?? reason;
}
