import { address } from "./kinds.ts";

/**
 * What a user sets to be notified through the phone app Bark. Its address may contain `{{title}}`
 * and `{{content}}`, which are replaced.
 */
export const bark = {
  id: "bark",
  fields: {
    url: address({
      required: "Bark推送地址不能为空",
      forbidden: "无效的Bark推送地址",
      placeholder: "https://api.day.app/key/{{title}}/{{content}}",
    }),
  },
} as const;
