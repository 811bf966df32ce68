/**
 * The test notice that users send to themselves, and the message they see if it is not delivered.
 */

import type { Notice } from "./notifications.ts";
import { writeNotice } from "./notice-texts.ts";
import type { SendResult } from "./senders/sender.ts";

type NotSent = Extract<SendResult, { ok: false }>;

/**
 * Makes the notice that users send to themselves to test their settings.
 * @param language of the receiver.
 */
export function testNotice(language: string): Notice {
  return { type: "test", ...writeNotice("test", language) };
}

const unreachable = "无法连接接收通知的服务器";
const untrusted = "无法与接收通知的服务器建立安全连接，请检查其证书";
const late = "接收通知的服务器没有及时应答";
const unreadable = "接收通知的服务器的应答无法读取";

/** The messages for users, by the reason that `Outbound` returns. */
const said: Readonly<Record<string, string>> = {
  "address-forbidden": "通知地址不是公网地址",
  "address-malformed": "通知地址无效",
  "address-unresolved": "找不到接收通知的服务器",
  "answer-compressed": unreadable,
  "answer-too-large": unreadable,
  "answer-truncated": unreadable,
  "answer-not-http": unreadable,
  "certificate-expired": untrusted,
  "certificate-invalid": untrusted,
  "certificate-name": untrusted,
  "certificate-untrusted": untrusted,
  "connection-closed": unreadable,
  "connection-failed": unreachable,
  "connection-refused": unreachable,
  "timeout-between-chunks": late,
  "timeout-connect": unreachable,
  "proxy-credentials": unreachable,
  "proxy-failed": unreachable,
  "proxy-refused": unreachable,
  "proxy-unresolved": unreachable,
  "timeout-first-byte": late,
  "timeout-proxy": unreachable,
  "timeout-tls": untrusted,
  "timeout-total": late,
  "tls-failed": untrusted,
};

/** Returns the message for the user whose test notice was not delivered. */
export function explainFailure({ reason, message }: NotSent): string {
  if (message !== undefined) return message;
  const [, status] = /^http-(\d+)$/.exec(reason) ?? [];
  if (status !== undefined) return `接收通知的服务器返回了 HTTP ${status}`;
  // All other reasons come from the mail server's module, which words them for people.
  return said[reason] ?? reason;
}
