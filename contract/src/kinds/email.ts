/** Notices by e-mail: the fields of this notification way. */

import { mailAddress } from "@tollgate/contract/endpoints/mail.ts";
import { define } from "./kinds.ts";
import { z } from "zod";

export const email = {
  id: "email",
  fields: {
    address: {
      ...define({
        type: "email",
        schema: z.union([z.literal(""), mailAddress], "无效的邮箱地址"),
        defaultValue: "",
        standIn: "own-email",
      }),
      sentAs: "notification_email",
    },
  },
} as const;
