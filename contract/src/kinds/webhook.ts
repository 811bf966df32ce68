import { address, hiddenText } from "./kinds.ts";

const secretMax = 200;

/** What a user sets to be notified by a POST of JSON to an address, signed if there is a secret. */
export const webhook = {
  id: "webhook",
  fields: {
    url: address({
      required: "Webhook地址不能为空",
      forbidden: "无效的Webhook地址",
      placeholder: "https://example.com/hook",
    }),
    secret: hiddenText(secretMax, `Webhook密钥最多 ${secretMax} 个字符`),
  },
} as const;
