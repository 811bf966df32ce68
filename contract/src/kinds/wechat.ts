import { imageOption, serverOption } from "@tollgate/contract/fields/field-schemas.ts";
import { define, flag, secret } from "./kinds.ts";

/**
 * Options of signing in with WeChat, which works through a separate server that is connected to the
 * WeChat official account.
 */
export const wechat = {
  id: "wechat",
  fields: {
    WeChatAuthEnabled: flag(false, {
      needs: {
        fields: ["WeChatServerAddress"],
        message: "无法启用微信登录，请先填入微信登录相关配置信息！",
      },
    }),
    WeChatServerAddress: define({ type: "text", schema: serverOption, defaultValue: "" }),
    WeChatServerToken: secret,
    WeChatAccountQRCodeImageURL: define({ type: "text", schema: imageOption, defaultValue: "" }),
  },
} as const;
