/** Sends a notice by e-mail. */

import type { email } from "@tollgate/contract/kinds/email.ts";
import { Refusal } from "#base/refusal.ts";
import { filledContent, type Sender } from "./sender.ts";

export const sendByEmail: Sender<typeof email> = async (
  { address },
  { notice, accountEmail },
  { mail },
) => {
  const to = address || accountEmail;
  if (to === "") {
    const message = "没有收信邮箱，请填写通知邮箱或绑定邮箱";
    return { ok: false, reason: "no-address", message };
  }
  if (!mail.isSetUp()) {
    return { ok: false, reason: "no-mail-server", message: "管理员未配置邮件服务" };
  }
  try {
    await mail.send({ to, subject: notice.title, text: `${filledContent(notice)}\n` });
    return { ok: true };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, reason: error.message };
    throw error;
  }
};
