import { hiddenText } from "./kinds.ts";

const plain = hiddenText(128);

/**
 * What a user sets to be notified in WeChat through WxPusher: a personal token (SPT), which allows
 * sending to this user only. Source: the service's interface as other projects use it, 2026-11-23.
 */
export const wxpusher = {
  id: "wxpusher",
  fields: {
    token: {
      ...plain,
      schema: plain.schema.regex(/^(SPT_\w+)?$/, "WxPusher 的个人令牌以 SPT_ 开头"),
      required: "请填写此项",
    },
  },
} as const;
