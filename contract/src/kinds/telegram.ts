/** Sign-in with Telegram: its options. */

import { flag, line, secret } from "./kinds.ts";

export const telegram = {
  id: "telegram",
  fields: {
    TelegramOAuthEnabled: flag(false, {
      needs: {
        fields: ["TelegramBotToken"],
        message: "无法启用 Telegram OAuth，请先填入 Telegram Bot Token！",
      },
    }),
    TelegramBotName: line(100),
    TelegramBotToken: secret,
  },
} as const;
