/** By a code of an official account, behind which a small server knows who was given it. */

import { z } from "zod";
import { Refusal } from "#base/refusal.ts";
import type { Method } from "./method.ts";
import { askOutside } from "./outside.ts";

const title = "微信";

/** `data`: the user's id in the official account. */
const answer = z.object({ success: z.boolean(), data: z.string().nullish() });

/** Longest id that is kept, in characters. */
const subjectMax = 200;

export const weChat: Method = {
  title,
  column: "wechat_id",
  kind: "code",
  namePrefix: "wechat",
  isOn: (readOption) => readOption("WeChatAuthEnabled"),

  async identify({ code }, { readOption, callOutside }) {
    const server = readOption("WeChatServerAddress");
    if (server === "") throw new Refusal("not-allowed", "管理员未完成微信登录的设置");
    const { success, data } = await askOutside(
      callOutside,
      {
        url: `${server}/api/wechat/user?code=${encodeURIComponent(code)}`,
        headers: { authorization: readOption("WeChatServerToken") },
      },
      answer,
      title,
    );
    if (!success || !data || data.length > subjectMax) {
      throw new Refusal("invalid-input", "验证码错误或已过期");
    }
    // Not the server's address: it may move, and the ids are those of the account behind it.
    return {
      issuer: "wechat",
      subject: data,
      displayName: "WeChat User",
      username: "",
      email: "",
    };
  },
};
