/** A notice by which a user sees whether notices arrive, and what to say when it did not. */

import type { Notice } from "./notifications.ts";

export const testNotice: Notice = {
  type: "test",
  title: "测试通知",
  content: "收到这条消息，说明通知方式设置正确。",
  values: [],
};

const unreachable = "无法连接接收通知的服务器";
const late = "接收通知的服务器没有及时应答";
const unreadable = "接收通知的服务器的应答无法读取";

/** By the reasons of `Sent`. */
const said: Readonly<Record<string, string>> = {
  "address-forbidden": "通知地址不是公网地址",
  "address-malformed": "通知地址无效",
  "address-unresolved": "找不到接收通知的服务器",
  "answer-compressed": unreadable,
  "answer-too-large": unreadable,
  "answer-truncated": unreadable,
  "connection-failed": unreachable,
  "no-address": "没有收信邮箱，请填写通知邮箱或绑定邮箱",
  "no-mail-server": "管理员未配置邮件服务",
  "no-robot-key": "请填写机器人密钥",
  "timeout-between-chunks": late,
  "timeout-connect": unreachable,
  "timeout-first-byte": late,
  "timeout-total": late,
};

/** @param reason of a notice that was not delivered; what is said of letters is words already. */
export function explainFailure(reason: string): string {
  const [, source = "", code = ""] = /^(http|dingtalk|wecom)-(-?\w+)$/.exec(reason) ?? [];
  switch (source) {
    case "http":
      return `接收通知的服务器返回了 HTTP ${code}`;
    case "dingtalk":
      return `钉钉机器人没有接受通知（${code}），请检查密钥和安全设置`;
    case "wecom":
      return `企业微信机器人没有接受通知（${code}），请检查密钥`;
    default:
      return said[reason] ?? reason;
  }
}
