/**
 * Sign-in by a code that a WeChat official account gives to a WeChat user. This server asks a small
 * server, which the operator runs for that account, which user got the code.
 */

import { imageOrigins } from "@tollgate/contract/endpoints/content.ts";
import { z } from "zod";
import { Refusal } from "#base/refusal.ts";
import type { Method } from "./method.ts";
import { askOutside } from "./outside.ts";

const title = "微信";

/** What the operator's WeChat server answers. `data` is the user's id in the official account. */
const answer = z.object({ success: z.boolean(), data: z.string().nullish() });

/** The longest user id that is accepted, in characters. */
const subjectMax = 200;

const codeForm = /^[\w-]{1,64}$/;

export const wrongCode = (): Refusal => new Refusal("invalid-input", "验证码错误或已过期");

export const weChat: Method = {
  title,
  column: "wechat_id",
  kind: "code",
  namePrefix: "wechat",
  pageSources: (readOption) => ({
    scripts: [],
    frames: [],
    images: imageOrigins(readOption("WeChatAccountQRCodeImageURL")),
    popups: false,
  }),
  isOn: (readOption) => readOption("WeChatAuthEnabled"),

  async identify({ code }, { readOption, callOutside }) {
    const server = readOption("WeChatServerAddress");
    // Only codes of this form are accepted, so that a code has one spelling and its second use is
    // noticed.
    if (!codeForm.test(code)) throw wrongCode();
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
    if (!success || !data || data.length > subjectMax) throw wrongCode();
    // The issuer is not the server's address, because the server may move while the ids stay those
    // of the official account.
    return {
      issuer: "wechat",
      subject: data,
      displayName: "WeChat User",
      username: "",
      email: "",
    };
  },
};
